"""Gestures: the edit distance of two lists cell by cell; archives copied whole."""

import random
import tarfile
from pathlib import Path

import pandas as pd

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.cells import edit_distance
from benchmarks.competitions.obvious.reading import sorted_pair

COPIED = [
    *(f"training{k}.tar.gz" for k in (1, 2, 3)),
    *(f"validation{k}.tar.gz" for k in (1, 2, 3)),
    "devel01-40.7z",
    "valid_all_files_combined.7z",
    "sample_code_mmrgc.zip",
]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "Id")
    said, true = (
        [[int(word) for word in str(text).split()] for text in side["Sequence"]] for side in (predicted, truth)
    )
    return sum(edit_distance(t, s) for t, s in zip(true, said, strict=True)) / sum(len(one) for one in true)


def prepare(raw: Path, public: Path, private: Path) -> None:
    with tarfile.open(raw / "training4.tar.gz") as archive:
        names = [name.removeprefix("./") for name in archive.getnames()]
    ids = sorted(Path(name).stem[-4:] for name in names if name.endswith(".zip") and "/" not in name)
    table = pd.read_csv(raw / "training.csv", dtype=str)
    is_test = table["Id"].isin(ids)
    splitting.write(public / "training.csv", table[~is_test])
    splitting.write(private / "test.csv", table[is_test])
    splitting.write(public / "test.csv", pd.DataFrame({"Id": ids}))
    random.seed(0)
    guesses = [" ".join(map(str, random.sample(range(1, 21), 20))) for _ in ids]
    splitting.write(public / "randomPredictions.csv", pd.DataFrame({"Id": ids, "Sequence": guesses}))
    splitting.copy_files(["training4.tar.gz"], raw, public, ["test.tar.gz"])
    splitting.copy_files(COPIED, raw, public)
