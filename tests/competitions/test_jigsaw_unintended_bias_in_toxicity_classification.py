"""jigsaw-unintended-bias-in-toxicity-classification: v2 ranks raw predictions and keeps comments as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.metrics as reference

ID = "jigsaw-unintended-bias-in-toxicity-classification"
IDENTITIES = [
    "male",
    "female",
    "homosexual_gay_or_lesbian",
    "christian",
    "jewish",
    "muslim",
    "black",
    "white",
    "psychiatric_or_mental_illness",
]


def test_a_good_ranking_below_one_half_counts_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    low = v1.submissions()["quirk_ranking_below_half"]

    assert v1.report("quirk_ranking_below_half").score == 0.5
    assert v2.grade(low, tmp_path / "s.csv").score > 0.9
    high = low.assign(prediction=low["prediction"] * 2)
    assert v2.grade(low, tmp_path / "s.csv").score == v2.grade(high, tmp_path / "s.csv").score


def test_v2_is_the_measure_as_kaggle_defined_it(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    answers = pd.read_csv(v2.private / "test.csv")
    predicted = prepared(ID).submissions()["random"].set_index("id").loc[answers["id"], "prediction"].to_numpy()
    toxic = answers["toxicity"].to_numpy() >= 0.5

    def power_mean(choose: Callable[[Any], Any]) -> float:
        areas = []
        for identity in IDENTITIES:
            rows = choose(answers[identity].fillna(0).to_numpy() >= 0.5)
            areas.append(reference.roc_auc_score(toxic[rows], predicted[rows]))
        return float(np.mean(np.power(areas, -5)) ** -0.2)

    subgroup = power_mean(lambda member: member)
    negatives_of_it = power_mean(lambda member: (member & ~toxic) | (~member & toxic))
    positives_of_it = power_mean(lambda member: (member & toxic) | (~member & ~toxic))
    overall = reference.roc_auc_score(toxic, predicted)
    expected = (overall + subgroup + negatives_of_it + positives_of_it) / 4
    report = v2.grade(prepared(ID).submissions()["random"], tmp_path / "s.csv")
    assert report.score == round(expected, 5)


def test_missing_and_infinite_predictions_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    holes = v1.submissions()["quirk_missing_values"]
    infinite = v1.submissions()["random"].replace({"prediction": {v1.submissions()["random"]["prediction"][0]: np.inf}})

    for frame, reason in ((holes, "MissingValues"), (infinite, "NotFinite")):
        assert v1.grade(frame, tmp_path / "s.csv").valid
        assert v2.grade(frame, tmp_path / "s.csv").rejection["reason"] == reason


def test_booleans_with_blanks_are_ones_and_zeros_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID)
    holes = v1.submissions()["quirk_missing_values"]
    booleans = holes.assign(prediction=(holes["prediction"] >= 0.5).astype(object).where(holes["prediction"].notna()))

    assert v1.grade(booleans, tmp_path / "s.csv").score == v1.report("quirk_missing_values").score


def test_comments_that_spell_a_missing_value_are_lost_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    raw, first, second = (
        pd.read_csv(path, dtype=str, keep_default_na=False)[["id", "comment_text"]]
        for path in (v1.raw / "test_private_expanded.csv", v1.public / "test.csv", v2.public / "test.csv")
    )

    assert {"NA", "null", "nan"} <= set(raw["comment_text"])
    assert not {"NA", "null", "nan"} & set(first["comment_text"])
    assert second.equals(raw)
