"""Pictures listed as in COCO: a document with parallel lists of annotations and images, split within each category."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

import pandas as pd

from preparers.toolkit.dataset import Dataset
from preparers.toolkit.pretty import write_pretty
from preparers.toolkit.promise import promise
from preparers.toolkit.split import split_each

Record: TypeAlias = dict[str, Any]
Pair: TypeAlias = tuple[Record, Record]
"""An annotation and its image."""


def split_pictures(
    document: Mapping[str, Any], *, test: float, rare: Literal["split", "last"], image_id: str = "id"
) -> tuple[list[Pair], list[Pair]]:
    """The document's pairs of annotation and image, each category split on its own, the test part then shuffled.

    `image_id` is what images call their id; `rare` is that of `split_each`.
    """
    annotations, images = document["annotations"], document["images"]
    promise(
        len(annotations) == len(images),
        f"There are {len(annotations):,} annotations and {len(images):,} images; each should have one of the other.",
    )
    pairs = list(zip(annotations, images, strict=True))
    strange = sum(annotation["image_id"] != image[image_id] for annotation, image in pairs)
    promise(not strange, f"{strange:,} annotations do not stand at the place of their image in the list of images.")
    train, held_back = split_each(pairs, [a["category_id"] for a, _ in pairs], test=test, rare=rare)
    random.Random(0).shuffle(held_back)
    return train, held_back


def with_pairs(document: Mapping[str, Any], pairs: Iterable[Pair]) -> Record:
    """The document with these pairs only."""
    kept = list(pairs)
    return {**document, "annotations": [a for a, _ in kept], "images": [image for _, image in kept]}


def prepare_sheets(data: Dataset, folder: str, document: Mapping[str, Any], *, keys: Iterable[str]) -> None:
    """Herbarium sheets as the editions of 2020 and 2021 lay them out, below a folder that is '' or ends in a slash.

    One sheet in five of each species is held back, under a number instead of its name. Test ids are texts in the
    metadata, while those of train stay numbers.
    """
    promise(set(document) == set(keys), f"metadata.json has the keys {sorted(document)}; expected {sorted(keys)}.")
    train, test = split_pictures(document, test=0.2, rare="last")
    names = [f"images/{number // 1000:03d}/{number}.jpg" for number in range(len(test))]
    test_images = [
        {**image, "id": str(number), "file_name": name}
        for number, (name, (_, image)) in enumerate(zip(names, test, strict=True))
    ]

    data.public.take((f"{folder}train/{image['file_name']}",) * 2 for _, image in train)
    data.public.take(
        (f"{folder}test/{name}", f"{folder}train/{image['file_name']}")
        for name, (_, image) in zip(names, test, strict=True)
    )
    for category in {annotation["category_id"] for annotation in document["annotations"]}:
        data.public.make_folder(f"{folder}train/images/{category // 100:03d}/{category % 100:02d}")
    write_pretty(data.public.path(f"{folder}train/metadata.json"), with_pairs(document, train))
    about = {"info": document["info"], "licenses": document["licenses"]}
    write_pretty(data.public.path(f"{folder}test/metadata.json"), {"images": test_images, **about})
    number_answers(data, test, fill=0)


def number_answers(data: Dataset, test: Iterable[Pair], *, fill: int) -> None:
    """The answers of test pictures that are numbered from 0, and a sample submission."""
    categories = [annotation["category_id"] for annotation, _ in test]
    answers = pd.DataFrame({"Id": range(len(categories)), "Predicted": categories})
    data.private.csv("answers.csv", answers)
    data.public.csv("sample_submission.csv", answers.assign(Predicted=fill))
