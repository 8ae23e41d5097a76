"""h-and-m-personalized-fashion-recommendations: v2 keeps ten digits and seven days, and pairs customers by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

ID = "h-and-m-personalized-fashion-recommendations"
AS_TEXT = {"dtype": str, "keep_default_na": False}


def answers(made: Any) -> pd.DataFrame:
    return pd.read_csv(made.private / "answers.csv", **AS_TEXT)


def test_article_numbers_lose_their_zero_in_v1_and_keep_ten_digits_in_v2(prepared: Callable[..., Any]) -> None:
    for version, digits in (("v1", {9, 10}), ("v2", {10})):
        made = prepared(ID, version=version)
        bought = pd.read_csv(made.public / "transactions_train.csv", **AS_TEXT)["article_id"]
        wanted = answers(made)["prediction"].str.split().explode()

        assert set(bought.str.len()) == digits
        assert set(wanted.str.len()) == digits


def test_the_test_period_has_eight_days_in_v1_and_seven_in_v2(prepared: Callable[..., Any]) -> None:
    raw = pd.read_csv(prepared(ID).raw / "transactions_train.csv")
    for version, days in (("v1", 8), ("v2", 7)):
        train = pd.read_csv(prepared(ID, version=version).public / "transactions_train.csv")
        held_back = raw["t_dat"][raw["t_dat"] > train["t_dat"].max()]

        assert held_back.nunique() == days
        assert len(held_back) + len(train) == len(raw)


def test_the_sample_s_form_scores_nothing_in_v1_and_counts_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_leading_zero").score == 0
    perfect = answers(v2)
    bare = perfect.assign(
        prediction=perfect["prediction"].str.split().map(lambda row: " ".join(str(int(a)) for a in row))
    )
    for form in (perfect, bare):
        repeats = form.assign(prediction=form["prediction"].str.split().map(lambda row: " ".join(dict.fromkeys(row))))
        assert v2.grade(repeats, tmp_path / "s.csv").score == 1


def test_a_repeated_customer_shifts_all_others_in_v1_and_is_rejected_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_duplicate_customer").score < v1.report("good_shuffled").score
    assert v2.report("quirk_duplicate_customer").rejection["reason"] == "RepeatedIds"


def test_a_blank_spoils_a_column_of_single_numbers_in_v1_and_only_itself_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_one_each_some_blank").score == 0
    assert v2.report("quirk_one_each_some_blank").score > 0.1
