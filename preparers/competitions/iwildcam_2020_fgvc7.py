"""iWildCam 2020: pictures of camera traps; places are held back until they have 22 % of the pictures.

v1 counts the test pictures twice when it works out that share, and ends near 28 %; v2 counts them once. Should a
picture have several annotations, v1 has a row for each, and v2 one, of the first.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from preparers.toolkit import Dataset, promise, sample, split_items, unique

TRAIN, TEST = "iwildcam2020_train_annotations.json", "iwildcam2020_test_information.json"
SHARE = 0.22
TOP_CATEGORY = 675


def prepare(data: Dataset) -> None:
    document, about_test = data.raw.json(TRAIN), data.raw.json(TEST)
    for name, found, keys in (
        (TRAIN, document, {"annotations", "images", "categories", "info"}),
        (TEST, about_test, {"images", "categories", "info"}),
    ):
        promise(set(found) == keys, f"{name} has the keys {sorted(found)}; expected {sorted(keys)}.")
    annotations, images = pd.DataFrame(document["annotations"]), pd.DataFrame(document["images"])
    unique(images, "id", name=f"images of {TRAIN}")
    is_test = images["location"].isin(_test_places(images["location"], twice=data.version == "v1"))
    train_images, test_images = images[~is_test], images[is_test]
    test = annotations[annotations["image_id"].isin(test_images["id"])]
    if data.version == "v2":
        test = test.drop_duplicates("image_id")
    answers = test[["image_id", "category_id"]].rename(columns={"image_id": "Id", "category_id": "Category"})
    guesses = np.random.RandomState(0).randint(0, TOP_CATEGORY + 1, size=len(answers))

    train = {
        "annotations": _records(annotations[annotations["image_id"].isin(train_images["id"])]),
        "images": _records(train_images),
        "categories": document["categories"],
        "info": document["info"],
    }
    data.public.json(TRAIN, train)
    data.public.json(TEST, {**about_test, "images": _records(test_images)})
    data.public.csv("sample_submission.csv", sample(answers, "Id", Category=guesses))
    data.public.copy("iwildcam2020_megadetector_results.json")
    for part, rows in (("train", train_images), ("test", test_images)):
        data.public.files(f"{part}/{{id}}.jpg", rows, "train/{id}.jpg")
    data.private.csv("answers.csv", answers)


def _test_places(places: "pd.Series[Any]", *, twice: bool) -> Sequence[Any]:
    """A random fifth of the places, with the last ones moved over until the share of pictures is about right."""
    counts: dict[Any, int] = places.value_counts().to_dict()
    train, test = split_items(places.unique().tolist(), test=SHARE)
    pictures = sum(counts[place] for place in test)

    def share() -> float:
        return pictures / (len(places) + pictures if twice else len(places))

    while share() < SHARE:
        promise(bool(train), "All places together have too few pictures for the test part.")
        test.append(train.pop())
        pictures += counts[test[-1]]
    while share() > SHARE:
        train.append(test.pop())
        pictures -= counts[train[-1]]
    return test


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    records: list[dict[Any, Any]] = table.to_dict(orient="records")
    return records
