"""Cassava leaves: whole TFRecord files are held back, with the pictures that they name; accuracy."""

import shutil
from pathlib import Path

from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.records import image_names
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import scored

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
