"""Kuzushiji: pages split at random and packed again; characters matched to boxes one by one."""

import shutil
from pathlib import Path

import pandas as pd

from benchmarks.competitions.obvious.reading import read, sorted_pair
from benchmarks.competitions.obvious.splitting import pack, split, unpacked, write

Words = list[list[str]]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "image_id")
    hits = said = true = 0
    for points, boxes in zip(predicted["labels"], truth["labels"], strict=True):
        characters, places = groups(boxes, 5), groups(points, 3)
        hits += matches(characters, places)
        true += len(characters)
        said += len(places)
    if not hits:
        return 0.0
    precision, recall = hits / said, hits / true
    return 2 * precision * recall / (precision + recall)


def groups(text: object, size: int) -> Words:
    words = text.split(" ") if isinstance(text, str) else []
    return [words[at : at + size] for at in range(0, len(words), size)]


def matches(boxes: Words, points: Words) -> int:
    used = [False] * len(points)
    hits = 0
    for character, *numbers in boxes:
        left, top, width, height = map(float, numbers)
        for place, (said, x, y) in enumerate(points):
            if used[place] or said != character:
                continue
            if left < float(x) < left + width and top < float(y) < top + height:
                used[place] = True
                hits += 1
                break
    return hits


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"))
    write(public / "train.csv", train)
    write(private / "test.csv", test)
    write(private / "gold_submission.csv", test.assign(labels=test["labels"].map(gold)))
    write(public / "sample_submission.csv", test.assign(labels="U+003F 1 1 U+FF2F 2 2"))
    shutil.copy(raw / "unicode_translation.csv", public)
    with unpacked(raw / "train_images.zip", public) as folder:
        for part, rows in (("train", train), ("test", test)):
            pack(public / f"{part}_images.zip", *(folder / f"{name}.jpg" for name in rows["image_id"]))


def gold(labels: object) -> str | None:
    if pd.isna(labels):
        return None
    return " ".join(f"{character} {int(x) + 1} {int(y) + 1}" for character, x, y, _, _ in groups(labels, 5))
