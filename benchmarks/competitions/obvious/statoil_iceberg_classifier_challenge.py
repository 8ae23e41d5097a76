"""Icebergs: a list of JSON objects split at random and packed as 7z; scikit-learn's log loss."""

import json
from pathlib import Path

import pandas as pd
from sklearn.metrics import log_loss

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(log_loss, "id", "is_iceberg")


def prepare(raw: Path, public: Path, private: Path) -> None:
    found = []
    for name in ("train.json", "test.json"):
        with splitting.unpacked(raw / f"{name}.7z", public) as files:
            found.append(json.loads((files / "data/processed" / name).read_text()))
    radar, unused = found
    train, test = splitting.split(radar, test_size=0.2)
    shown = [{key: one[key] for key in unused[0]} for one in test]
    for name, objects in (("train.json", train), ("test.json", shown)):
        splitting.write_json(public / name, objects)
        splitting.pack(public / f"{name}.7z", public / name)
    answers = pd.DataFrame([{"id": one["id"], "is_iceberg": int(one["is_iceberg"])} for one in test])
    splitting.write(private / "test.csv", answers)
    splitting.write(private / "sample_submission.csv", answers.assign(is_iceberg=0.5))
    splitting.pack(public / "sample_submission.csv.7z", private / "sample_submission.csv", keep=True)
