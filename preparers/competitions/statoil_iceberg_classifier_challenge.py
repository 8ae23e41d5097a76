"""Statoil Icebergs: radar pictures of ships and icebergs, one in five held back.

v1 holds back objects at random, and the sample submission is in public only packed. In v2 objects of equal angle, which
often are of one scene, stay together, those without an angle are for training, and a plain sample is in public.
"""

from typing import Any

import pandas as pd

from preparers.toolkit import Dataset, disjoint, promise, sample, split_groups, split_items

Objects = list[dict[str, Any]]


def prepare(data: Dataset) -> None:
    objects, kaggles = _read(data, "train"), _read(data, "test")
    train, test = split_items(objects, test=0.2) if data.version == "v1" else _split_scenes(objects)
    answers = _answers(test)
    disjoint(_answers(train), answers, "id")
    blank = sample(answers, "id", is_iceberg=0.5)

    data.scratch.json("train.json", train)
    data.scratch.json("test.json", [{field: row[field] for field in kaggles[0]} for row in test])
    data.scratch.csv("sample_submission.csv", blank)
    for name in ("train.json", "test.json", "sample_submission.csv"):
        data.public.pack(f"{name}.7z", name, origin=data.scratch.contents)
    if data.version == "v2":
        data.public.csv("sample_submission.csv", blank)
    data.private.csv("sample_submission.csv", blank)
    data.private.csv("test.csv", answers)


def _read(data: Dataset, part: str) -> Objects:
    objects: Objects = data.raw.unpack(f"{part}.json.7z").json(f"data/processed/{part}.json")
    alike = bool(objects) and all(row.keys() == objects[0].keys() for row in objects)
    promise(alike, f"Objects of {part}.json differ in their fields.")
    return objects


def _answers(objects: Objects) -> pd.DataFrame:
    return pd.DataFrame(
        {"id": [row["id"] for row in objects], "is_iceberg": [int(row["is_iceberg"]) for row in objects]}
    )


def _split_scenes(objects: Objects) -> tuple[Objects, Objects]:
    """v2: one in five of the distinct angles is held back; objects without an angle follow the others in train."""
    angles = pd.DataFrame({"angle": pd.to_numeric([row["inc_angle"] for row in objects], errors="coerce")})
    train, test = split_groups(angles.dropna(), by="angle", test=0.2, keys="sorted", rows="split")
    unknown = angles.index[angles["angle"].isna()]
    return [objects[i] for i in [*train.index, *unknown]], [objects[i] for i in test.index]
