"""iMet 2020: pictures split at random; two 0/1 matrices and scikit-learn's F1."""

import shutil
import warnings
from pathlib import Path
from typing import Any

from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import scored


def micro_f1(truth: Any, predicted: Any) -> float:
    true, said = (side.fillna("").astype(str).str.split() for side in (truth, predicted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # predicted attributes that no answer has
        binarizer = MultiLabelBinarizer(sparse_output=True).fit(true)
        return float(f1_score(binarizer.transform(true), binarizer.transform(said), average="micro"))


grade = scored(micro_f1, "id", "attribute_ids", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"), test_size=0.15)
    write(public / "train.csv", train)
    write(private / "answers.csv", test)
    write(public / "sample_submission.csv", test.assign(attribute_ids="0 1 2"))
    shutil.copy(raw / "labels.csv", public)
    for part, rows in (("train", train), ("test", test)):
        copy_files(rows["id"] + ".png", raw / "train", public / part)
