"""Phonemes: rows of arrays split at random; accuracy."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious.splitting import split, write
from benchmarks.competitions.obvious.tables import scored

FOLDER = Path("timit_11") / "timit_11"

grade = scored(accuracy_score, "Id", "ClassId", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    (public / FOLDER).mkdir(parents=True)
    frames, labels, unused = (
        np.load(raw / FOLDER / f"{name}.npy") for name in ("train_11", "train_label_11", "test_11")
    )
    train, test = split(np.arange(len(frames)), test_size=len(unused) / (len(frames) + len(unused)))
    np.save(public / FOLDER / "train_11.npy", frames[train])
    np.save(public / FOLDER / "train_label_11.npy", labels[train])
    np.save(public / FOLDER / "test_11.npy", frames[test])
    answers = pd.DataFrame({"Id": range(len(test)), "ClassId": labels[test]})
    write(private / "answers.csv", answers)
    write(public / "sampleSubmission.csv", answers.assign(ClassId=0))
