"""Aerial cactus: pictures split at random and packed again; the AUC."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import pack, split, unpacked, write
from benchmarks.competitions.obvious.tables import scored

grade = scored(roc_auc_score, "id", "has_cactus")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"), test_size=0.19)
    write(public / "train.csv", train)
    write(private / "test.csv", test)
    write(public / "sample_submission.csv", test.assign(has_cactus=0.5))
    with unpacked(raw / "train.zip", public) as folder:
        for part, rows in (("train", train), ("test", test)):
            pack(public / f"{part}.zip", *(folder / "train" / name for name in rows["id"]))
