"""Dogs and cats: pictures split at random, numbered anew, and packed; log loss."""

import shutil
from pathlib import Path

import pandas as pd
from sklearn.metrics import log_loss

from benchmarks.competitions.obvious.splitting import copy_files, split, unpacked, write
from benchmarks.competitions.obvious.tables import scored

grade = scored(log_loss, "id", "label", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train.zip", public) as folder:
        train, test = split(sorted(path.name for path in (folder / "train").glob("*.jpg")))
        counts = {"cat": 0, "dog": 0}
        renamed = []
        for name in train:
            animal = "cat" if "cat" in name else "dog"
            renamed.append(f"{animal}.{counts[animal]}.jpg")
            counts[animal] += 1
        copy_files(train, folder / "train", public / "train", renamed)
        copy_files(test, folder / "train", public / "test", [f"{place + 1}.jpg" for place in range(len(test))])
    for part in ("train", "test"):
        shutil.make_archive(str(public / part), "zip", public / part)
    answers = pd.DataFrame({"id": range(1, len(test) + 1), "label": [int("dog" in name) for name in test]})
    write(private / "answers.csv", answers)
    write(public / "sample_submission.csv", answers.assign(label=0.5))
