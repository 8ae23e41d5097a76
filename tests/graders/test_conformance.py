"""v1 is exact: the kit's golden figures, byte for byte and digit for digit, for every implemented competition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import digest
import kit
import pytest

import catalog

MUST_BE_THERE = {
    "champs-scalar-coupling",
    "dog-breed-identification",
    "new-york-city-taxi-fare-prediction",
    "spooky-author-identification",
    "tgs-salt-identification-challenge",
}


IMPLEMENTED = kit.implemented()


def test_the_kit_knows_every_official_competition() -> None:
    assert set(kit.ids()) == set(catalog.ids("all")) | set(catalog.ids("dev"))


def test_no_competition_that_was_implemented_has_gone() -> None:
    assert set(IMPLEMENTED) >= MUST_BE_THERE


@pytest.mark.parametrize("seed", kit.SEEDS)
@pytest.mark.parametrize("competition_id", IMPLEMENTED)
def test_prepared_files_are_the_golden_ones(competition_id: str, seed: int, prepared: Callable[..., Any]) -> None:
    made, golden = prepared(competition_id, seed), kit.golden(competition_id, seed)

    assert digest.tree_digest(made.public) == golden.public
    assert digest.tree_digest(made.private) == golden.private


@pytest.mark.parametrize("seed", kit.SEEDS)
@pytest.mark.parametrize("competition_id", IMPLEMENTED)
def test_scores_and_rejections_are_the_golden_ones(
    competition_id: str, seed: int, prepared: Callable[..., Any]
) -> None:
    made, golden = prepared(competition_id, seed), kit.golden(competition_id, seed)

    assert {name: verdict(made.report(name)) for name in made.submissions()} == {
        name: expected(score) for name, score in golden.scores.items()
    }


def verdict(report: Any) -> Any:
    if not report.valid:
        return "rejected"
    return report.reason if report.score is None else report.score


def expected(score: float | None) -> Any:
    if score is None:
        return "rejected"
    reason = f"The submission is valid, but its score is not a finite number ({score}): it wins nothing."
    return score if math.isfinite(score) else reason
