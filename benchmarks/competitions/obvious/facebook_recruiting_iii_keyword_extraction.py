"""Facebook Recruiting III: two 0/1 matrices, sparse to fit into memory, and scikit-learn's F1; the table by pandas."""

import warnings
import zipfile
from pathlib import Path

import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MultiLabelBinarizer

from benchmarks.competitions.obvious.reading import sorted_pair


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "Id")
    said, true = (side["Tags"].fillna("").str.split() for side in (predicted, truth))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # predicted tags that no answer has
        binarizer = MultiLabelBinarizer(sparse_output=True).fit(true)
        return float(f1_score(binarizer.transform(true), binarizer.transform(said), average="micro"))


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    public.mkdir()
    with zipfile.ZipFile(raw / "Train.zip") as archive, archive.open("Train.csv") as file:
        table = pd.read_csv(file, dtype={"Id": str, "Tags": str})
    train, test = train_test_split(table, test_size=0.1, random_state=0)
    train.to_csv(public / "train.csv", index=False)
    test.drop(columns="Tags").to_csv(public / "test.csv", index=False)
    test.assign(Tags="javascript c# python php java").to_csv(public / "sample_submission.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
