"""What v1 rewards though it is nonsense is told in a warning, and v2 has no such way to win."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kit
import pytest
from honest import Target
from tricks import TRICKS, Trick

PAGE = Path(__file__).parents[3] / "docs" / "nonsense.md"

every_trick = pytest.mark.parametrize(
    "trick",
    [t for t in TRICKS if t.competition in kit.implemented()],
    ids=lambda trick: f"{trick.competition}: {trick.what}",
)


@every_trick
def test_v1_stays_exact_and_warns_of_a_trick(trick: Trick, target: Callable[[str, str], Target]) -> None:
    aim = target(trick.competition, "v1")
    honest, tricked = (aim.grade(frame) for frame in trick.make(aim))

    assert not honest.warnings
    assert tricked.valid, tricked.reason
    assert tricked.warnings
    if trick.gains:
        assert aim.gain(tricked.score, over=honest.score) > 0


@every_trick
def test_a_trick_wins_nothing_in_v2(trick: Trick, target: Callable[[str, str], Target]) -> None:
    aim = target(trick.competition, "v2")
    honest, tricked = (aim.grade(frame) for frame in trick.make(aim))

    assert honest.valid
    assert not tricked.warnings
    if trick.v2 == "rejects":
        assert not tricked.valid
    else:
        assert aim.gain(tricked.score, over=honest.score) <= 0


@every_trick
def test_the_page_on_nonsense_tells_of_a_trick(trick: Trick) -> None:
    assert f"| {trick.competition} | {trick.what} |" in PAGE.read_text(encoding="utf-8")
