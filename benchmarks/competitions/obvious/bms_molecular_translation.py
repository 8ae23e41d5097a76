"""Molecular Translation: the edit distance cell by cell; pictures copied one after the other."""

import shutil
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.reading import read, sorted_pair


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "image_id")
    pairs = zip(truth["InChI"].astype(str), predicted["InChI"].astype(str), strict=True)
    return float(np.mean([distance(true, said) for true, said in pairs]))


def distance(first: str, second: str) -> int:
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, start=1):
        line = [row]
        for column, other in enumerate(second, start=1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != other)))
        above = line
    return above[-1]


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    public.mkdir()
    train, test = train_test_split(read(raw / "train_labels.csv"), test_size=0.2, random_state=0)
    train.to_csv(public / "train_labels.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    test.assign(InChI="InChI=1S/H2O/h1H2").to_csv(public / "sample_submission.csv", index=False)
    for part, rows in (("train", train), ("test", test)):
        for _, row in rows.iterrows():
            place = Path(*row["image_id"][:3]) / f"{row['image_id']}.png"
            (public / part / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(raw / "train" / place, public / part / place)
    shutil.copy(raw / "extra_approved_InChIs.csv", public)
