"""APTOS 2019: photographs split at random; quadratic weighted kappa."""

from pathlib import Path

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import quadratic_kappa, scored

grade = scored(quadratic_kappa, "id_code", "diagnosis")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"))
    for part, rows in (("train", train), ("test", test)):
        copy_files(rows["id_code"] + ".png", raw / "train_images", public / f"{part}_images")
    write(public / "train.csv", train)
    write(private / "test.csv", test)
    write(public / "test.csv", test[["id_code"]])
    write(public / "sample_submission.csv", test.assign(diagnosis=0))
