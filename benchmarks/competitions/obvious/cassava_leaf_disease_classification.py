"""Cassava leaves: whole TFRecord files are held back, with the pictures that they name; accuracy."""

import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import scored

LENGTHS = 2
"""Protobuf's wire type of what has a length: texts, bytes and messages."""

grade = scored(accuracy_score, "image_id", "label")


def prepare(raw: Path, public: Path, private: Path) -> None:
    parts = split(sorted((raw / "train_tfrecords").glob("*.tfrec")))
    held_back = [name for path in parts[1] for name in image_names(path)]
    table = read(raw / "train.csv")
    is_test = table["image_id"].isin(held_back)
    write(public / "train.csv", table[~is_test])
    write(private / "test.csv", table[is_test])
    write(public / "sample_submission.csv", table[is_test].assign(label=4))
    for part, paths, rows in zip(("train", "test"), parts, (table[~is_test], table[is_test]), strict=True):
        names = [f"ld_{part}{place:02d}-{path.stem.split('-')[1]}.tfrec" for place, path in enumerate(paths)]
        copy_files([path.name for path in paths], raw / "train_tfrecords", public / f"{part}_tfrecords", names)
        copy_files(rows["image_id"], raw / "train_images", public / f"{part}_images")
    shutil.copy(raw / "label_num_to_disease_map.json", public)


def image_names(path: Path) -> Iterator[str]:
    """The names in a file of records, each of them decoded as a protobuf Example."""
    with path.open("rb") as file:
        while head := file.read(12):
            example = file.read(struct.unpack("<Q", head[:8])[0])
            file.read(4)
            for features in fields(example, 1):
                for entry in fields(features, 1):
                    if next(fields(entry, 1)) == b"image_name":
                        values = next(fields(next(fields(entry, 2)), 1))
                        yield next(fields(values, 1)).decode()


def fields(message: bytes, wanted: int) -> Iterator[bytes]:
    """The values of one field of a message."""
    place = 0
    while place < len(message):
        tag, place = varint(message, place)
        size, place = varint(message, place)
        if tag & 7 != LENGTHS:
            continue
        if tag >> 3 == wanted:
            yield message[place : place + size]
        place += size


def varint(message: bytes, place: int) -> tuple[int, int]:
    """A number, and where it ends."""
    number = shift = 0
    while True:
        byte = message[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place
