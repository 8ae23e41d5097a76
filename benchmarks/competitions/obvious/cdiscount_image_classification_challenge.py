"""Cdiscount: every document decoded and encoded again, and read twice."""

import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.tables import scored

DOCUMENT, ARRAY, BINARY, INT32 = 3, 4, 5, 16

grade = scored(accuracy_score, "_id", "category_id", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    public.mkdir()
    with (raw / "train.bson").open("rb") as file:
        table = pd.DataFrame([{name: found[name] for name in ("_id", "category_id")} for found in documents(file)])
    train, test = train_test_split(table, test_size=0.1, random_state=0)
    test = test.sort_values("_id")
    test.to_csv(private / "answers.csv", index=False)
    test.assign(category_id=1000010653).to_csv(public / "sample_submission.csv", index=False)
    shutil.copy(raw / "category_names.csv", public)
    kept = set(train["_id"])
    with (
        (raw / "train.bson").open("rb") as file,
        (public / "train.bson").open("wb") as for_train,
        (public / "train_example.bson").open("wb") as examples,
        (public / "test.bson").open("wb") as for_test,
    ):
        written = 0
        for found in documents(file):
            if found["_id"] in kept:
                for_train.write(encode(found))
                if written < 100:
                    examples.write(encode(found))
                written += 1
            else:
                del found["category_id"]
                for_test.write(encode(found))


def documents(file: BinaryIO) -> Iterator[dict[str, Any]]:
    while head := file.read(4):
        yield decode(head + file.read(struct.unpack("<i", head)[0] - 4))


def decode(document: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    place = 4
    while document[place]:
        kind, end = document[place], document.index(b"\0", place + 1)
        name, place = document[place + 1 : end].decode(), end + 1
        (number,) = struct.unpack_from("<i", document, place)
        if kind == INT32:
            found[name], place = number, place + 4
        elif kind == BINARY:
            found[name], place = document[place + 5 : place + 5 + number], place + 5 + number
        else:
            inner = decode(document[place : place + number])
            found[name], place = list(inner.values()) if kind == ARRAY else inner, place + number
    return found


def encode(found: dict[str, Any]) -> bytes:
    body = b""
    for name, value in found.items():
        if isinstance(value, int):
            kind, data = INT32, struct.pack("<i", value)
        elif isinstance(value, bytes):
            kind, data = BINARY, struct.pack("<i", len(value)) + b"\0" + value
        elif isinstance(value, list):
            kind, data = ARRAY, encode({str(place): one for place, one in enumerate(value)})
        else:
            kind, data = DOCUMENT, encode(value)
        body += bytes([kind]) + name.encode() + b"\0" + data
    return struct.pack("<i", len(body) + 5) + body + b"\0"
