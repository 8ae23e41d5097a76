"""Herbarium 2020 and 2021: specimens with their metadata in COCO's form; macro F1."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from benchmarks.competitions.obvious.pictures import (
    PRETTY,
    shuffled_test_pairs,
    split_categories,
    train_pairs,
    with_pairs,
)
from benchmarks.competitions.obvious.splitting import copy_files, write, write_json
from benchmarks.competitions.obvious.tables import macro_f1, scored

grade = scored(
    lambda truth, predicted: macro_f1(truth, predicted.astype(int)), "Id", "Predicted", answers="answers.csv"
)


def write_answers(public: Path, private: Path, categories: list[int], guess: int) -> None:
    """The answers, whose ids count from 0, and a sample submission of one guess."""
    answers = pd.DataFrame({"Id": range(len(categories)), "Predicted": categories})
    write(private / "answers.csv", answers)
    write(public / "sample_submission.csv", answers.assign(Predicted=guess))


def prepare_within(raw: Path, public: Path, private: Path, *, folder: str, encoding: str) -> None:
    """Prepare what lies in a folder `train` of a folder, test pictures numbered anew."""
    document = json.loads((raw / folder / "train" / "metadata.json").read_text(encoding=encoding))
    parts = split_categories(document, 0.2, few=4)
    train, test = train_pairs(parts), shuffled_test_pairs(parts)
    source, into = raw / folder / "train", public / folder
    write_json(into / "train" / "metadata.json", with_pairs(document, train), **PRETTY)
    names = [image["file_name"] for _, image in train]
    copy_files(names, source, into / "train")
    renamed = [f"images/{place // 1000:03d}/{place}.jpg" for place in range(len(test))]
    images = [
        image | {"id": str(place), "file_name": name}
        for place, (name, (_, image)) in enumerate(zip(renamed, test, strict=True))
    ]
    about = {"images": images, "info": document["info"], "licenses": document["licenses"]}
    write_json(into / "test" / "metadata.json", about, **PRETTY)
    copy_files([image["file_name"] for _, image in test], source, into / "test", renamed)
    write_answers(public, private, [annotation["category_id"] for annotation, _ in test], 0)
