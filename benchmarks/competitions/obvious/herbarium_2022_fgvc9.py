"""Herbarium 2022: a collection in COCO's form, all pictures renamed; macro F1."""

import json
from pathlib import Path

from benchmarks.competitions.obvious import specimens
from benchmarks.competitions.obvious.pictures import PRETTY, Pair, shuffled_test_pairs, split_categories, with_pairs
from benchmarks.competitions.obvious.splitting import copy_files, write_json

grade = specimens.grade


def prepare(raw: Path, public: Path, private: Path) -> None:
    document = json.loads((raw / "train_metadata.json").read_text(encoding="utf-8"))
    parts = split_categories(document, 0.2, few=0)
    train: list[Pair] = []
    old_names = []
    for category, (pairs, _) in parts.items():
        for number, (annotation, image) in enumerate(pairs, start=1):
            name = f"{category:05d}__{number:03d}"
            file_name = f"{category // 100:03d}/{category % 100:02d}/{name}.jpg"
            train.append((annotation | {"image_id": name}, image | {"image_id": name, "file_name": file_name}))
            old_names.append(image["file_name"])
    write_json(public / "train_metadata.json", with_pairs(document, train), **PRETTY)
    copy_files(old_names, raw / "train_images", public / "train_images", [image["file_name"] for _, image in train])
    test = shuffled_test_pairs(parts)
    renamed = [f"{number // 1000:03d}/test-{number:06d}.jpg" for number in range(len(test))]
    images = [
        image | {"image_id": str(number), "file_name": name}
        for number, (name, (_, image)) in enumerate(zip(renamed, test, strict=True))
    ]
    write_json(public / "test_metadata.json", images, **PRETTY)
    copy_files([image["file_name"] for _, image in test], raw / "train_images", public / "test_images", renamed)
    specimens.write_answers(public, private, [annotation["category_id"] for annotation, _ in test], 42)
