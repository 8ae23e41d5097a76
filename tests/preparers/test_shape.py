"""Tables made of other tables, and promises about them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from preparers.toolkit import (
    PreparationError,
    disjoint,
    expand,
    has_columns,
    one_hot,
    promise,
    renumber,
    sample,
    unique,
)

FRAME = pd.DataFrame({"id": ["x", "y", "z"], "n": [1, 2, 2]}, index=[5, 3, 9])


def test_one_hot_keeps_the_rows_and_the_classes_order() -> None:
    answers = one_hot(FRAME, id="id", label="n", classes=[2, 1])  # type: ignore[list-item]

    assert answers.to_csv(index=False) == "id,2,1\nx,0,1\ny,1,0\nz,1,0\n"


def test_a_sample_takes_constants_and_a_value_a_row() -> None:
    made = sample(FRAME, "id", p=0.5, k=np.array([7, 8, 9]))

    assert made.to_csv(index=False) == "id,p,k\nx,0.5,7\ny,0.5,8\nz,0.5,9\n"


def test_new_ids_follow_the_rows() -> None:
    assert renumber(FRAME, "id", start=1)["id"].tolist() == [1, 2, 3]
    assert renumber(FRAME, "id", "Test_{}")["id"].tolist() == ["Test_0", "Test_1", "Test_2"]
    assert FRAME["id"].tolist() == ["x", "y", "z"]


def test_names_can_use_a_letter_of_a_column() -> None:
    assert expand("train/{id[0]}/{id}.npy", pd.DataFrame({"id": ["a1", "b2"]})) == ["train/a/a1.npy", "train/b/b2.npy"]


def test_kept_promises_say_nothing() -> None:
    promise(True, "never told")
    unique(FRAME, "id")
    disjoint(FRAME, pd.DataFrame({"id": ["other"]}), "id")
    has_columns(FRAME, "id", "n")
    has_columns(FRAME, "n", exactly=False)


@pytest.mark.parametrize(
    ("broken", "want"),
    [
        (lambda: promise(False, "the reason"), "the reason"),
        (lambda: unique(FRAME, "n", "train.csv"), r"train.csv repeats 1 values of n: '2'\."),
        (lambda: disjoint(FRAME, FRAME, "id"), "3 values of id are in train and in test: 'x', 'y', 'z'"),
        (lambda: has_columns(FRAME, "id", "k", name="train.csv"), r"train.csv lacks the columns 'k'; expected id, k\."),
        (lambda: has_columns(FRAME, "n", "id"), "the table has the columns 'id', 'n'; expected n, id"),
        (lambda: has_columns(FRAME, "id"), "the table has the columns 'id', 'n'; expected id"),
    ],
)
def test_a_broken_promise_is_told(broken: object, want: str) -> None:
    with pytest.raises(PreparationError, match=want):
        broken()  # type: ignore[operator]
