"""Paddy disease: pictures split at random, and the share of right ones."""

from pathlib import Path

from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(lambda truth, said: accuracy_score(truth, said.fillna("")), "image_id", "label")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = train_test_split(read(raw / "train.csv"), train_size=0.75, random_state=0)
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test[["image_id"]].assign(label=""))
    train_images, test_images = (rows["label"] + "/" + rows["image_id"] for rows in (train, test))
    splitting.copy_files(train_images, raw / "train_images", public / "train_images")
    splitting.copy_files(test_images, raw / "train_images", public / "test_images", test["image_id"])
