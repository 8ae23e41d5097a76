"""Plant seedlings: pictures in folders of species, split at random; scikit-learn's micro F1."""

from functools import partial
from pathlib import Path

import pandas as pd
from sklearn.metrics import f1_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(partial(f1_score, average="micro"), "file", "species", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    folders = sorted(folder for folder in (raw / "train").iterdir() if folder.is_dir())
    rows = [(file.name, folder.name) for folder in folders for file in sorted(folder.glob("*.png"))]
    train, test = splitting.split(pd.DataFrame(rows, columns=["file", "species"]), test_size=0.14)
    splitting.write(private / "answers.csv", test)
    splitting.write(public / "sample_submission.csv", test.assign(species="Sugar beet"))
    train_files, test_files = (part["species"] + "/" + part["file"] for part in (train, test))
    splitting.copy_files(train_files, raw / "train", public / "train")
    splitting.copy_files(test_files, raw / "train", public / "test", test["file"])
