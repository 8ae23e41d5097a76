"""MLSP 2013: recordings split at random and renumbered; the AUC of all pairs of recording and species."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, unpacked, write
from benchmarks.competitions.obvious.tables import scored

SEGMENTS = ("histogram_of_segments.txt", "segment_features.txt", "segment_rectangles.txt")

grade = scored(roc_auc_score, "Id", "Probability", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "mlsp_contest_dataset.zip", public) as folder:
        root = folder / "mlsp_contest_dataset"
        prepare_unpacked(root / "essential_data", root / "supplemental_data", public, private)


def prepare_unpacked(essential: Path, supplemental: Path, public: Path, private: Path) -> None:
    folds = read(essential / "CVfolds_2.txt")
    folds = folds[folds["fold"] == 0].reset_index(drop=True)
    folds.loc[folds.sample(frac=0.2, random_state=0).index, "fold"] = 1
    new = {int(old): number for number, old in enumerate(folds["rec_id"])}
    folds["rec_id"] = range(len(folds))
    hidden = set(folds["rec_id"][folds["fold"] == 1])
    write(public / "essential_data" / "CVfolds_2.txt", folds)
    files = read(essential / "rec_id2filename.txt")
    files = files[files["rec_id"].isin(new)]
    files["rec_id"] = files["rec_id"].map(new)
    write(public / "essential_data" / "rec_id2filename.txt", files)
    lines, rows = ["rec_id,[labels]"], []
    for number, labels in kept_lines(essential / "rec_labels_test_hidden.txt", new):
        if number in hidden:
            found = labels.split(",")
            rows += [(number * 100 + species, int(str(species) in found)) for species in range(19)]
            lines.append(f"{number},?")
        else:
            lines.append(f"{number},{labels}" if labels else str(number))
    write_lines(public / "essential_data" / "rec_labels_test_hidden.txt", lines)
    answers = pd.DataFrame(rows, columns=["Id", "Probability"])
    write(private / "answers.csv", answers)
    write(public / "sample_submission.csv", answers.sort_values("Id").assign(Probability=0))
    shutil.copy(essential / "species_list.txt", public / "essential_data")
    copy_files(files["filename"] + ".wav", essential / "src_wavs", public / "essential_data" / "src_wavs")
    for name in ("filtered_spectrograms", "spectrograms", "supervised_segmentation", "segmentation_examples"):
        there = [f"{file}.bmp" for file in files["filename"] if (supplemental / name / f"{file}.bmp").exists()]
        copy_files(there, supplemental / name, public / "supplemental_data" / name)
    for name in ("segment_clusters.bmp", "segment_mosaic.bmp"):
        shutil.copy(supplemental / name, public / "supplemental_data")
    for name in SEGMENTS:
        lines = [f"{number},{rest}" for number, rest in kept_lines(supplemental / name, new)]
        write_lines(public / "supplemental_data" / name, ["rec_id,[histogram of segment features]", *lines])


def kept_lines(path: Path, new: dict[int, int]) -> Iterator[tuple[int, str]]:
    """A recording's new number and the rest of its line, for those that are kept."""
    for line in path.read_text().splitlines()[1:]:
        old, _, rest = line.partition(",")
        if int(old) in new:
            yield new[int(old)], rest


def write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))
