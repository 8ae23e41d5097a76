"""How much time an attempt gets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.budget import Allowance, allow, consumed_seconds
from orchestrator.core.model import Outcome, Verdict
from tests.core.build import record, spec

AGENT = {"name": "aide", "image": "aide:1"}
DAY = 86_400.0
PLAIN = spec(budget={"wallClock": "24h"})
RESUMING = spec(budget={"wallClock": "24h"}, agent={**AGENT, "resume": True})


def outcome(verdict=Verdict.RETRY, **fields):
    return Outcome(verdict, **fields)


@pytest.mark.parametrize(
    "asked, before, want",
    [
        pytest.param(PLAIN, None, Allowance(DAY), id="the first attempt has it all"),
        pytest.param(
            PLAIN,
            outcome(consumed_seconds=3600.0, saved=1),
            Allowance(DAY),
            id="an agent that does not resume starts over",
        ),
        pytest.param(
            RESUMING,
            outcome(consumed_seconds=3600.0, saved=1, lost_time=True),
            Allowance(DAY - 3600, 3600.0, 1, lost_time=True),
            id="one that resumes gets its folders and the time that is left",
        ),
        pytest.param(
            RESUMING,
            outcome(consumed_seconds=3600.0, saved=None),
            Allowance(DAY),
            id="without any folders to come back it starts over",
        ),
        pytest.param(
            RESUMING,
            outcome(consumed_seconds=DAY + 5, saved=2),
            Allowance(0.0, DAY + 5, 2),
            id="with no time left it is only collected again",
        ),
        pytest.param(
            RESUMING,
            outcome(Verdict.GRADE, consumed_seconds=3600.0, saved=1),
            Allowance(DAY),
            id="after an attempt that was done, a person's retry starts over",
        ),
        pytest.param(
            RESUMING,
            outcome(Verdict.FAIL, consumed_seconds=3600.0, saved=1),
            Allowance(DAY - 3600, 3600.0, 1),
            id="after a lost one it goes on",
        ),
    ],
)
def test_what_an_attempt_starts_with(asked, before, want):
    assert allow(before, asked) == want


def test_folders_that_were_saved_once_more_after_the_outcome_come_with_their_time():
    """An attempt on a node that was cut off worked on."""
    before = outcome(consumed_seconds=3600.0, saved=1)
    assert allow(before, RESUMING, clock=7200.0) == Allowance(DAY - 7200, 7200.0, 1)
    assert allow(before, RESUMING, clock=60.0) == Allowance(DAY - 3600, 3600.0, 1)


@pytest.mark.parametrize(
    "found, clock, want",
    [
        pytest.param(record(consumed_seconds=700.0), 650.0, 700.0, id="the record knows best"),
        pytest.param(None, 650.0, 650.0, id="else the clock"),
        pytest.param(None, 0.0, 0.0, id="also one that has just begun"),
        pytest.param(None, None, 100.0, id="else what was used before"),
    ],
)
def test_what_a_run_has_used(found, clock, want):
    assert consumed_seconds(Allowance(DAY, 100.0, 1), found, clock) == want


@given(st.lists(st.floats(0, 2 * DAY), max_size=8))
def test_attempts_that_resume_never_have_more_than_the_budget_together(worked):
    """Each works for as long as it likes, but is ended by what it was given."""
    before, total = None, 0.0
    for attempt, wish in enumerate(worked, start=1):
        given_now = allow(before, RESUMING)
        total += min(wish, given_now.seconds)
        before = outcome(consumed_seconds=given_now.consumed_seconds + min(wish, given_now.seconds), saved=attempt)
    assert total <= DAY * (1 + 1e-9)
