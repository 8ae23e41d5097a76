"""So many times in any minute, whoever counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.worker.rate import RateLimit


@given(pauses=st.lists(st.floats(min_value=0, max_value=30), max_size=60), most=st.integers(min_value=1, max_value=5))
def test_no_minute_has_more_calls_than_allowed(pauses: list[float], most: int) -> None:
    now = 0.0
    limit = RateLimit(most, clock=lambda: now)
    allowed = []
    for pause in pauses:
        now += pause
        if limit.seconds_to_wait("run") == 0:
            allowed.append(now)
    assert all(later - earlier >= 60 for earlier, later in zip(allowed, allowed[most:], strict=False))
    assert limit.total.get("run", 0) == len(allowed)


def test_whoever_waits_as_told_is_let_in() -> None:
    now = 0.0
    limit = RateLimit(1, clock=lambda: now)
    assert limit.seconds_to_wait("run") == 0
    now = 12.5
    wait = limit.seconds_to_wait("run")
    assert wait == 48
    now += wait
    assert limit.seconds_to_wait("run") == 0


def test_a_limit_of_none_lets_nobody_in() -> None:
    assert RateLimit(0).seconds_to_wait("run") == 60
