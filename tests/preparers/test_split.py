"""Splits are those of scikit-learn's train_test_split, without importing it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from preparers.toolkit import PreparationError, split_each, split_groups, split_items, split_positions, split_rows

shares = st.floats(0.01, 0.99)


@given(count=st.integers(2, 400), share=shares, seed=st.integers(0, 50))
def test_a_share_for_the_test_part_is_split_as_scikit_learn_does(count: int, share: float, seed: int) -> None:
    items = list(range(count))
    try:
        want = train_test_split(items, test_size=share, random_state=seed)
    except ValueError:
        with pytest.raises(PreparationError, match="can't be split"):
            split_items(items, test=share, seed=seed)
        return
    assert list(split_items(items, test=share, seed=seed)) == want


@given(count=st.integers(2, 400), share=shares)
def test_a_share_for_the_train_part_is_rounded_down_as_scikit_learn_does(count: int, share: float) -> None:
    items = list(range(count))
    try:
        want = train_test_split(items, train_size=share, random_state=0)
    except ValueError:
        return
    assert list(split_items(items, train=share)) == want


def test_numbers_of_rows_can_be_given_for_both_parts() -> None:
    items = list(range(20))

    assert list(split_items(items, train=12, test=3)) == train_test_split(
        items, train_size=12, test_size=3, random_state=0
    )


def test_rows_come_in_the_split_s_order_with_all_their_columns() -> None:
    frame = pd.DataFrame({"id": range(50), "text": [f"t{k}" for k in range(50)]})
    want_train, want_test = train_test_split(frame, test_size=0.1, random_state=0)

    train, test = split_rows(frame, test=0.1)

    pd.testing.assert_frame_equal(train, want_train)
    pd.testing.assert_frame_equal(test, want_test)


def test_more_test_rows_than_there_are_is_told() -> None:
    with pytest.raises(PreparationError, match="100 items can't be split into -9,814 for training and 9,914 to test"):
        split_positions(100, test=9914)


GROUPED = pd.DataFrame({"key": ["b", "a", "c", "a", "b", "d", "c", "e"], "row": range(8)})


@pytest.mark.parametrize("keys", ["sorted", "seen"])
def test_groups_are_split_as_the_list_of_their_keys(keys: str) -> None:
    listed = sorted(set(GROUPED["key"])) if keys == "sorted" else list(dict.fromkeys(GROUPED["key"]))
    want_train, want_test = train_test_split(listed, test_size=0.4, random_state=3)

    train, test = split_groups(GROUPED, by="key", test=0.4, seed=3, keys=keys, rows="split")

    assert list(dict.fromkeys(train["key"])) == want_train
    assert list(dict.fromkeys(test["key"])) == want_test
    for _, group in pd.concat([train, test]).groupby("key"):
        assert group["row"].is_monotonic_increasing


def test_groups_can_leave_their_rows_in_the_table_s_order() -> None:
    train, test = split_groups(GROUPED, by="key", test=0.4, keys="seen", rows="raw")

    assert train["row"].is_monotonic_increasing
    assert test["row"].is_monotonic_increasing
    assert not set(train["key"]) & set(test["key"])
    assert len(train) + len(test) == len(GROUPED)


def test_a_row_without_a_group_is_told() -> None:
    with pytest.raises(PreparationError, match="1 rows have no key"):
        split_groups(pd.DataFrame({"key": ["a", None, "b"]}), by="key", test=0.5, keys="seen", rows="raw")


def test_each_key_is_split_on_its_own_with_a_fresh_seed() -> None:
    items = [f"{key}{k}" for k in range(10) for key in "ab"]
    one_train, one_test = train_test_split([f"a{k}" for k in range(10)], test_size=0.2, random_state=0)

    train, test = split_each(items, [item[0] for item in items], test=0.2, rare="split")

    assert train[: len(one_train)] == one_train
    assert test[: len(one_test)] == one_test
    assert [item.replace("b", "a") for item in test[len(one_test) :]] == one_test


def test_every_position_is_on_one_side() -> None:
    train, test = split_positions(101, test=0.1)

    assert sorted(np.concatenate([train, test])) == list(range(101))
