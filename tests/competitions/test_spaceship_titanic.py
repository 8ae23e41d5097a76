"""spaceship-titanic: v2 keeps travel groups whole and takes True, False, 1 and 0 only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

ID = "spaceship-titanic"


def groups(made: Any) -> tuple[set[str], set[str]]:
    train, test = (set(pd.read_csv(made.public / f"{part}.csv")["PassengerId"].str[:4]) for part in ("train", "test"))
    return train, test


def test_groups_are_on_both_sides_in_v1_and_on_one_in_v2(prepared: Callable[..., Any]) -> None:
    train, test = groups(prepared(ID))
    assert train & test

    train, test = groups(prepared(ID, version="v2"))
    assert len(test) == -(-(len(train) + len(test)) // 10)
    assert not train & test


def test_v2_has_the_same_columns(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for name in ("train.csv", "test.csv", "sample_submission.csv"):
        first, second = ((made.public / name).read_text().partition("\n")[0] for made in (v1, v2))
        assert first == second


def test_other_numbers_are_wrong_in_v1_and_rejected_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_other_integers").valid
    assert v2.report("quirk_other_integers").rejection["reason"] == "UnknownLabels"


@pytest.mark.parametrize("name", ["quirk_zero_one", "quirk_zero_one_float", "random"])
def test_zero_and_one_are_false_and_true_in_v2(name: str, prepared: Callable[..., Any]) -> None:
    v2 = prepared(ID, version="v2")

    assert v2.report(name).valid
    assert v2.report(name).score == v2.report("random").score
