"""iNaturalist 2019: pictures of 1,010 species; of each an eighth is held back.

v1 leaves the pictures of `val2019.json` out, calls plain tar archives `.tar.gz` with members that lack the leading
folder, and its sample predicts one class throughout. v2 mends all of it: the archives are called `.tar`.
"""

import random
from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, Origin, promise, split_pictures, with_pairs, write_pretty

PICTURES = "train_val2019"
TEST = "test2019"
TOP_CLASS = 1009


def prepare(data: Dataset) -> None:
    document = data.raw.json("train2019.json")
    promise(
        set(document) == {"annotations", "categories", "images", "info", "licenses"},
        f"train2019.json has the keys {sorted(document)}, which are not those of Kaggle's file.",
    )
    train, test = split_pictures(document, test=0.12, rare="last")
    train_names = [image["file_name"] for _, image in train]
    test_names = [image["file_name"] for _, image in test]
    test_images = [{**image, "file_name": f"{TEST}/{PurePosixPath(image['file_name']).name}"} for _, image in test]

    write_pretty(data.public.path("train2019.json"), with_pairs(document, train))
    about = {"info": document["info"], "licenses": document["licenses"]}
    write_pretty(data.public.path("test2019.json"), {"images": test_images, **about})
    data.public.copy("val2019.json")
    answers = pd.DataFrame(
        {"id": [image["id"] for _, image in test], "predicted": [annotation["category_id"] for annotation, _ in test]}
    )
    data.private.csv("answers.csv", answers)
    data.public.csv("kaggle_sample_submission.csv", answers.assign(predicted=_guesses(len(answers), data.version)))

    pictures = data.raw if data.raw.has(PICTURES) else data.raw.unpack(f"{PICTURES}.tar.gz")
    _pack(data, f"{TEST}.tar", [(f"{TEST}/{PurePosixPath(name).name}", name) for name in test_names], pictures)
    if data.version == "v2":
        train_names += [image["file_name"] for image in data.raw.json("val2019.json")["images"]]
    _pack(data, f"{PICTURES}.tar", [(name, name) for name in train_names], pictures)


def _guesses(rows: int, version: str) -> list[int]:
    """v1 seeds the generator anew for each row."""
    if version == "v1":
        return [random.Random(42).randint(0, TOP_CLASS)] * rows
    generator = random.Random(42)
    return [generator.randint(0, TOP_CLASS) for _ in range(rows)]


def _pack(data: Dataset, name: str, members: list[tuple[str, str]], pictures: Origin) -> None:
    """A plain tar archive, in v1 with a `.gz` to its name and without the members' first folder."""
    files = [PurePosixPath(member).name for member, _ in members]
    promise(len(set(files)) == len(files), f"{len(files) - len(set(files)):,} pictures in {name} share a file name.")
    if data.version == "v1":
        name = f"{name}.gz"
        members = [(member.partition("/")[2], source) for member, source in members]
    data.public.archive(name, members, origin=pictures, kind="tar")
