"""Invasive species: rows split at random, archives of pictures that stay empty; the AUC."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import pack, split, unpacked, write
from benchmarks.competitions.obvious.tables import scored

grade = scored(roc_auc_score, "name", "invasive", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train_labels.csv.zip", public) as folder:
        train, test = split(read(folder / "train_labels.csv"), test_size=0.2)
    blank = test.assign(invasive=0.5)
    write(private / "answers.csv", test)
    write(private / "sample_submission.csv", blank)
    write(public / "train_labels.csv", train)
    write(public / "sample_submission.csv", blank)
    for name in ("train_labels.csv", "sample_submission.csv"):
        pack(public / f"{name}.zip", public / name)
    with unpacked(raw / "train.7z", public) as folder:
        for name in (*train["name"], *test["name"]):
            if not (folder / "train" / f"{name}.jpg").exists():
                raise FileNotFoundError(name)
    for part in ("train", "test"):
        pack(public / f"{part}.7z")
