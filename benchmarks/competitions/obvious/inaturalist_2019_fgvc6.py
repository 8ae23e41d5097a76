"""iNaturalist 2019: a collection in COCO's form, pictures in tar archives; one minus accuracy."""

import json
import random
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious.pictures import (
    PRETTY,
    shuffled_test_pairs,
    split_categories,
    train_pairs,
    with_pairs,
)
from benchmarks.competitions.obvious.splitting import unpacked, write, write_json
from benchmarks.competitions.obvious.tables import scored


def error(truth: Any, predicted: Any) -> float:
    if predicted.dtype == object:
        predicted = predicted.str.split().str[0].astype(int)
    return float(1 - accuracy_score(truth, predicted))


grade = scored(error, "id", "predicted", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    document = json.loads((raw / "train2019.json").read_text(encoding="utf-8"))
    parts = split_categories(document, 0.12, few=4)
    train, test = train_pairs(parts), shuffled_test_pairs(parts)
    write_json(public / "train2019.json", with_pairs(document, train), **PRETTY)
    images = [image | {"file_name": f"test2019/{Path(image['file_name']).name}"} for _, image in test]
    about = {name: document[name] for name in document if name not in ("annotations", "categories")}
    write_json(public / "test2019.json", about | {"images": images}, **PRETTY)
    shutil.copy(raw / "val2019.json", public)
    answers = pd.DataFrame(
        {"id": [image["id"] for _, image in test], "predicted": [one["category_id"] for one, _ in test]}
    )
    write(private / "answers.csv", answers)
    guess = random.Random(42).randint(0, 1009)
    write(public / "kaggle_sample_submission.csv", answers.assign(predicted=guess))
    with unpacked(raw / "train_val2019.tar.gz", public) as folder:
        files = [folder / image["file_name"] for _, image in train]
        members = {path.relative_to(folder / "train_val2019").as_posix(): path for path in files}
        pack(public / "train_val2019.tar.gz", members)
        files = [folder / image["file_name"] for _, image in test]
        pack(public / "test2019.tar.gz", {path.name: path for path in files})


def pack(archive: Path, members: dict[str, Path]) -> None:
    with tarfile.open(archive, "w") as tar:
        for name in sorted(members):
            entry = tarfile.TarInfo(name)
            entry.size = members[name].stat().st_size
            with members[name].open("rb") as file:
                tar.addfile(entry, file)
