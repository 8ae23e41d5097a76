"""AI4Code: notebooks whose cells are to be put in order; families of forked notebooks stay on one side.

v2 is the same. The real data has 20,000 test notebooks; of fewer than 40,000 notebooks a seventh is held back.
"""

import json

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, has_columns, promise, sample

TEST_NOTEBOOKS, SMALL = 20_000, 40_000


def prepare(data: Dataset) -> None:
    family, orders = data.raw.csv("train_ancestors.csv"), data.raw.csv("train_orders.csv")
    has_columns(family, "id", "ancestor_id", "parent_id", name="train_ancestors.csv")
    has_columns(orders, "id", "cell_order", name="train_orders.csv")
    shuffled = family.sample(frac=1, random_state=0)
    count = TEST_NOTEBOOKS if len(family) >= SMALL else len(family) // 7
    is_test = _draw_families(shuffled["ancestor_id"], count)
    train, test = shuffled[~is_test], shuffled[is_test]
    answers = orders[orders["id"].isin(test["id"])]

    data.public.files("train/{id}.json", train, source="train/{id}.json")
    data.public.files("test/{id}.json", test, source="train/{id}.json")
    data.public.csv("train_orders.csv", orders[orders["id"].isin(train["id"])])
    data.public.csv("train_ancestors.csv", train)
    data.public.csv("sample_submission.csv", sample(answers, "id", cell_order=_shown_orders(data, answers)))
    data.private.csv("test_orders.csv", answers)


def _draw_families(ancestors: "pd.Series[str]", count: int) -> npt.NDArray[np.bool_]:
    """Which rows are held back: family after family as they appear, each that still fits."""
    group, _ = pd.factorize(ancestors)
    promise(bool((group >= 0).all()), "train_ancestors.csv has notebooks without an ancestor_id.")
    drawn, left = [], count
    for number, size in enumerate(np.bincount(group)):
        if size <= left:
            drawn.append(number)
            left -= size
    promise(left == 0, f"No choice of whole families fills the test part: {left:,} of {count:,} notebooks are lacking.")
    return np.isin(group, drawn)


def _shown_orders(data: Dataset, answers: pd.DataFrame) -> list[str]:
    """The cells of each notebook in the order of its file."""
    orders = []
    for notebook in answers["id"]:
        with data.raw.open(f"train/{notebook}.json") as file:
            orders.append(" ".join(json.load(file)["cell_type"]))
    return orders
