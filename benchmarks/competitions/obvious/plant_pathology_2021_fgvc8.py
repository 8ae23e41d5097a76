"""Apple leaves 2021: pictures split at random; two 0/1 matrices and scikit-learn's F1."""

import warnings
from pathlib import Path

import pandas as pd
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read


def micro_f1(truth: pd.Series, predicted: pd.Series) -> float:
    true, said = (side.fillna("").str.split() for side in (truth, predicted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # predicted labels that no answer has
        binarizer = MultiLabelBinarizer().fit(true)
        return float(f1_score(binarizer.transform(true), binarizer.transform(said), average="micro"))


grade = tables.scored(micro_f1, "image", "labels", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"), test_size=0.2)
    splitting.write(public / "train.csv", train)
    splitting.write(private / "answers.csv", test)
    splitting.write(public / "sample_submission.csv", test.assign(labels="healthy"))
    splitting.copy_files(train["image"], raw / "train_images", public / "train_images")
    splitting.copy_files(test["image"], raw / "train_images", public / "test_images")
