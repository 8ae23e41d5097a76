"""Herbarium 2021: pressed plants; of each species a fifth is held back, numbered in a random order.

v2 also lists the species beside the answers, for the grader to know them.
"""

import pandas as pd

from preparers.toolkit import Dataset, prepare_sheets

KEYS = ("annotations", "categories", "images", "info", "licenses", "institutions")


def prepare(data: Dataset) -> None:
    document = data.raw.json("train/metadata.json")
    prepare_sheets(data, "", document, keys=KEYS)
    if data.version == "v2":
        data.private.csv("categories.csv", pd.DataFrame(document["categories"])[["id"]])
