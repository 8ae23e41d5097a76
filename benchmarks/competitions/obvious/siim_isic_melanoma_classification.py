"""Melanoma: the pictures named in two files of records are held back; the AUC."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables

SHOWN = ["image_name", "patient_id", "sex", "age_approx", "anatom_site_general_challenge"]
TEST_RECORDS = ["train00-2071.tfrec", "train06-2071.tfrec"]

grade = tables.scored(roc_auc_score, "image_name", "target")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = pd.read_csv(raw / "train.csv")
    is_test = table["image_name"].isin(
        [name for file in TEST_RECORDS for name in image_names(raw / "tfrecords" / file)]
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


def image_names(path: Path) -> Iterator[str]:
    """The feature `image_name` of each record: Example { Features { map { name, Feature { BytesList } } } }."""
    with path.open("rb") as file:
        while head := file.read(12):
            record = file.read(struct.unpack("<Q", head[:8])[0])
            file.read(4)
            (features,) = (content for _, content in fields(record))
            for _, entry in fields(features):
                (_, name), (_, feature) = fields(entry)
                if name == b"image_name":
                    ((_, values),) = fields(feature)
                    yield next(fields(values))[1].decode()


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message, all of which have a length."""
    place = 0
    while place < len(message):
        tag, place = varint(message, place)
        length, place = varint(message, place)
        yield tag >> 3, message[place : place + length]
        place += length


def varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
