"""MLSP 2013 Birds: sounds of a forest; of Kaggle's labelled recordings one in five is held back, ids counted anew.

v1 gives three tables of segments the header of the first; v2 gives each its own.
"""

import pandas as pd

from preparers.toolkit import Dataset, Origin, has_columns, promise, sample

ROOT = "mlsp_contest_dataset"
ESSENTIAL, EXTRA = "essential_data", "supplemental_data"
SPECIES = 19
PICTURES = ("filtered_spectrograms", "spectrograms", "supervised_segmentation")
SEGMENTS = ("histogram_of_segments.txt", "segment_features.txt", "segment_rectangles.txt")
HEADER_OF_V1 = "rec_id,[histogram of segment features]"
Lines = list[tuple[str, str]]
"""Lines of a text, cut at the first comma."""


def prepare(data: Dataset) -> None:
    raw = data.raw.unpack("mlsp_contest_dataset.zip")
    folds, new_ids = _choose(raw.csv(f"{ROOT}/{ESSENTIAL}/CVfolds_2.txt"))
    hidden = set(folds.loc[folds["fold"] == 1, "rec_id"].astype(str))
    files = raw.csv(f"{ROOT}/{ESSENTIAL}/rec_id2filename.txt", dtype=str)
    has_columns(files, "rec_id", "filename", name="rec_id2filename.txt")
    files = files.assign(rec_id=files["rec_id"].map(new_ids)).dropna(subset="rec_id")
    promise(set(files["rec_id"]) == set(new_ids.values()), "rec_id2filename.txt lacks some of the recordings.")
    _, labels = _read(raw, f"{ESSENTIAL}/rec_labels_test_hidden.txt", new_ids)

    data.public.csv(f"{ESSENTIAL}/CVfolds_2.txt", folds)
    data.public.csv(f"{ESSENTIAL}/rec_id2filename.txt", files)
    shown = [(recording, "?" if recording in hidden else species) for recording, species in labels]
    lines = [f"{recording},{species}" if species else recording for recording, species in shown]
    data.public.text(f"{ESSENTIAL}/rec_labels_test_hidden.txt", _as_text(["rec_id,[labels]", *lines]))
    for name in SEGMENTS:
        header, segments = _read(raw, f"{EXTRA}/{name}", new_ids)
        header = HEADER_OF_V1 if data.version == "v1" else header
        data.public.text(f"{EXTRA}/{name}", _as_text([header, *(f"{new},{rest}" for new, rest in segments)]))
    _give_files(data, raw, files)
    answers = _pairs([(recording, species) for recording, species in labels if recording in hidden])
    data.public.csv("sample_submission.csv", sample(answers.sort_values("Id"), "Id", Probability=0))
    data.private.csv("answers.csv", answers)


def _choose(folds: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The labelled recordings under new ids, with 1 for those that are held back; and the new id of each old one."""
    kept = folds[folds["fold"] == 0].reset_index(drop=True)
    kept.loc[kept.sample(frac=0.2, random_state=0).index, "fold"] = 1
    new_ids = {str(old): str(new) for new, old in enumerate(kept["rec_id"])}
    return kept.assign(rec_id=range(len(kept))), new_ids


def _read(raw: Origin, name: str, new_ids: dict[str, str]) -> tuple[str, Lines]:
    """A text's header, and the lines of recordings that are kept: the new id, and what follows the comma."""
    header, *lines = raw.text(f"{ROOT}/{name}").removesuffix("\n").split("\n")
    parts = (line.partition(",") for line in lines)
    return header, [(new_ids[old], rest) for old, _, rest in parts if old in new_ids]


def _as_text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _pairs(labels: Lines) -> pd.DataFrame:
    """A row for each recording and species."""
    rows = [
        (int(recording) * 100 + species, int(str(species) in found.split(",")))
        for recording, found in labels
        for species in range(SPECIES)
    ]
    return pd.DataFrame(rows, columns=["Id", "Probability"])


def _give_files(data: Dataset, raw: Origin, files: pd.DataFrame) -> None:
    sounds = f"{ESSENTIAL}/src_wavs/{{filename}}.wav"
    data.public.files(sounds, files, source=f"{ROOT}/{sounds}", origin=raw)
    for folder in PICTURES:
        pictures = f"{EXTRA}/{folder}/{{filename}}.bmp"
        data.public.files(pictures, files, source=f"{ROOT}/{pictures}", origin=raw)
    examples = f"{EXTRA}/segmentation_examples/{{filename}}.bmp"
    there = set(raw.names(f"{ROOT}/{EXTRA}/segmentation_examples/*.bmp"))
    has_example = (f"{ROOT}/{EXTRA}/segmentation_examples/" + files["filename"] + ".bmp").isin(there)
    data.public.files(examples, files[has_example], source=f"{ROOT}/{examples}", origin=raw)
    for name in (f"{ESSENTIAL}/species_list.txt", f"{EXTRA}/segment_clusters.bmp", f"{EXTRA}/segment_mosaic.bmp"):
        data.public.copy(name, f"{ROOT}/{name}", origin=raw)
