"""Melanoma: the pictures named in two files of records are held back; the AUC."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import records, splitting, tables

SHOWN = ["image_name", "patient_id", "sex", "age_approx", "anatom_site_general_challenge"]
TEST_RECORDS = ["train00-2071.tfrec", "train06-2071.tfrec"]

grade = tables.scored(roc_auc_score, "image_name", "target")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = pd.read_csv(raw / "train.csv")
    is_test = table["image_name"].isin(
        [name for file in TEST_RECORDS for name in records.image_names(raw / "tfrecords" / file)]
    )
    train, test = table[~is_test], table[is_test]
    splitting.write(public / "train.csv", train)
    splitting.write(public / "test.csv", test[SHOWN])
    splitting.write(private / "test.csv", test[["image_name", "target"]])
    splitting.write(public / "sample_submission.csv", test[["image_name"]].assign(target=0))
    for part, rows in (("train", train), ("test", test)):
        splitting.copy_files(rows["image_name"] + ".dcm", raw / "train", public / part)
        splitting.copy_files(rows["image_name"] + ".jpg", raw / "jpeg/train", public / "jpeg" / part)
    files = sorted(path.name for path in (raw / "tfrecords").glob("train*.tfrec"))
    for part, names in (
        ("test", [name for name in files if name in TEST_RECORDS]),
        ("train", [name for name in files if name not in TEST_RECORDS]),
    ):
        renamed = [f"{part}{place:02d}-{name.split('-', 1)[1]}" for place, name in enumerate(names)]
        splitting.copy_files(names, raw / "tfrecords", public / "tfrecords", renamed)
