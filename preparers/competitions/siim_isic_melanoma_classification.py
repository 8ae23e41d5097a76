"""SIIM-ISIC Melanoma: pictures of skin; the pictures in two of sixteen TFRecord files are held back.

v1 gives the two files as they are, with the labels in them, and train pictures that are copies of test pictures under
other names. v2 leaves labels out of the test records, drops such copies from train wherever they stand, and logs how
many patients are on both sides. Record files keep the number in their names, which v2 may make too large.
"""

import logging
from collections.abc import Iterator
from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, expand, find_copies, has_columns, sample, unique
from preparers.toolkit.tfrecords import first_text, read_features, read_records, write_features, write_records

COLUMNS = (
    "image_name",
    "patient_id",
    "sex",
    "age_approx",
    "anatom_site_general_challenge",
    "diagnosis",
    "benign_malignant",
    "target",
)
SHOWN = list(COLUMNS[:5])
TEST_RECORDS = ("tfrecords/train00-2071.tfrec", "tfrecords/train06-2071.tfrec")
SHOWN_FEATURES = {"image", "image_name"}
PICTURES = ("{part}/{{image_name}}.dcm", "jpeg/{part}/{{image_name}}.jpg")

log = logging.getLogger("mlectl.prepare")


def prepare(data: Dataset) -> None:
    pictures = data.raw.csv("train.csv", float_precision=None)
    has_columns(pictures, *COLUMNS, name="train.csv")
    unique(pictures, "image_name", name="train.csv")
    is_test = pictures["image_name"].isin({name for file in TEST_RECORDS for name in _names(data, file)})
    train, test = pictures[~is_test], pictures[is_test]
    copies = _copies(data, train, test) if data.version == "v2" else set()
    train = train[~train["image_name"].isin(copies)]

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test[SHOWN])
    data.public.csv("sample_submission.csv", sample(test, "image_name", target=0))
    data.private.csv("test.csv", test[["image_name", "target"]])
    for part, rows in (("train", train), ("test", test)):
        for pattern in PICTURES:
            data.public.files(pattern.format(part=part), rows, source=pattern.format(part="train"))
    for name, source in _record_files(data):
        _give_records(data, name, source, copies)
    if data.version == "v2":
        both = set(train["patient_id"]) & set(test["patient_id"])
        log.info("%d of %d patients of the test part are in train, too", len(both), test["patient_id"].nunique())


def _names(data: Dataset, file: str) -> Iterator[str]:
    """The pictures in a record file."""
    with data.raw.open(file) as records:
        for record in read_records(records):
            yield first_text(read_features(record)["image_name"])


def _record_files(data: Dataset) -> Iterator[tuple[str, str]]:
    """The new and the old name of each record file: those of either part are counted anew."""
    counts = {"train": 0, "test": 0}
    for source in data.raw.names("tfrecords/train*.tfrec"):
        part = "test" if source in TEST_RECORDS else "train"
        size = PurePosixPath(source).stem.partition("-")[2]
        yield f"tfrecords/{part}{counts[part]:02d}-{size}.tfrec", source
        counts[part] += 1


def _give_records(data: Dataset, name: str, source: str, copies: set[str]) -> None:
    """A record file as it is; in v2 without copies, and without labels if it is one of the test part."""
    tells_labels = data.version == "v2" and source in TEST_RECORDS
    has_copies = bool(copies) and not copies.isdisjoint(_names(data, source))
    if not (tells_labels or has_copies):
        data.public.copy(name, source)
        return
    with data.raw.open(source) as records, data.public.path(name).open("wb") as file:
        write_records(file, _clean(read_records(records), copies, with_labels=not tells_labels))


def _clean(records: Iterator[bytes], copies: set[str], *, with_labels: bool) -> Iterator[bytes]:
    for record in records:
        features = read_features(record)
        if first_text(features["image_name"]) not in copies:
            shown = {name: feature for name, feature in features.items() if name in SHOWN_FEATURES}
            yield record if with_labels else write_features(shown)


def _copies(data: Dataset, train: pd.DataFrame, test: pd.DataFrame) -> set[str]:
    """v2: the train pictures that have the bytes of a test picture."""
    copies: set[str] = set()
    for pattern in PICTURES:
        source = pattern.format(part="train")
        same = find_copies(data.raw, expand(source, train), of=expand(source, test))
        copies |= {PurePosixPath(path).stem for path in same}
    return copies
