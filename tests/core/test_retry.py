"""What follows an attempt that has ended."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.api.types import Retries
from orchestrator.core.diagnose import Cause
from orchestrator.core.failures import Reason, fault_of, is_agents
from orchestrator.core.model import Fault, Outcome, Verdict
from orchestrator.core.retry import LONGEST_DELAY, Ended, Spent, Step, delay_after, next_step, spent_retries

DEFAULTS = Retries()
GRADE = Step(Verdict.GRADE)
FAIL = Step(Verdict.FAIL)
COUNTED = Step(Verdict.RETRY, counts=True)
FREE = Step(Verdict.RETRY, counts=False)


def ended(reason=None, **fields):
    cause = Cause(Reason(reason), "…") if reason else None
    return Ended(cause, **{"seconds_left": 3600.0, **fields})


@pytest.mark.parametrize(
    "what, spent, retries, want",
    [
        pytest.param(ended(), Spent(), DEFAULTS, GRADE, id="an agent that is done is graded"),
        pytest.param(
            ended("AgentError", has_submission=True), Spent(), Retries(agent=5), GRADE, id="so is a crashed one"
        ),
        pytest.param(
            ended("OOMKilled", has_submission=True), Spent(), Retries(agent=5), GRADE, id="and one killed for memory"
        ),
        pytest.param(ended("DiskFull"), Spent(), DEFAULTS, GRADE, id="one that filled its disk is not tried again"),
        pytest.param(ended("NoSubmission"), Spent(), DEFAULTS, GRADE, id="one that left nothing gets a report too"),
        pytest.param(
            ended("NoSubmission"), Spent(agent=1), Retries(agent=2), COUNTED, id="unless it may be tried again"
        ),
        pytest.param(ended("NoSubmission"), Spent(agent=2), Retries(agent=2), GRADE, id="and then it gets its report"),
        pytest.param(
            ended("DeadlineWithoutSubmission", seconds_left=0.0),
            Spent(),
            Retries(agent=2),
            GRADE,
            id="an agent that resumes and has no time left is not tried again",
        ),
        pytest.param(ended("NodeLost"), Spent(), DEFAULTS, COUNTED, id="a lost node costs a retry"),
        pytest.param(
            ended("NodeLost"), Spent(infrastructure=3), DEFAULTS, FAIL, id="without retries left the run has failed"
        ),
        pytest.param(
            ended("NodeLost"), Spent(agent=3), DEFAULTS, COUNTED, id="the agent's retries are another account"
        ),
        pytest.param(
            ended("ImagePull"), Spent(infrastructure=3), DEFAULTS, FAIL, id="a missing image is not tried for ever"
        ),
        pytest.param(ended("Disrupted"), Spent(), DEFAULTS, COUNTED, id="a disruption that cost all work counts"),
        pytest.param(
            ended("Disrupted", moved_on=True),
            Spent(infrastructure=3),
            DEFAULTS,
            FREE,
            id="one that cost a resuming agent nothing does not",
        ),
        pytest.param(
            ended("NodeLost", moved_on=True), Spent(infrastructure=3), DEFAULTS, FAIL, id="a lost node always counts"
        ),
        pytest.param(
            ended("Suspended"), Spent(infrastructure=3), Retries(infrastructure=0), FREE, id="what we stopped is free"
        ),
        pytest.param(ended("NotConfigured"), Spent(), DEFAULTS, FAIL, id="nor what lacks a Secret until there is one"),
        pytest.param(ended("Cancelled"), Spent(), DEFAULTS, FAIL, id="what was cancelled is not tried again"),
    ],
)
def test_what_follows_an_attempt(what, spent, retries, want):
    assert next_step(what, spent, retries) == want


reasons = st.sampled_from(Reason)
endings = st.builds(
    Ended,
    cause=st.none() | st.builds(Cause, reasons, st.just("…")),
    has_submission=st.booleans(),
    seconds_left=st.floats(0, 86_400),
    moved_on=st.booleans(),
)
limits = st.builds(Retries, infrastructure=st.integers(0, 5), agent=st.integers(0, 5))
accounts = st.builds(Spent, st.integers(0, 9), st.integers(0, 9))


@given(endings, accounts, limits)
def test_only_an_agents_own_doing_is_graded_and_nothing_else_fails_it(what, spent, retries):
    step = next_step(what, spent, retries)
    own_doing = what.cause is None or is_agents(what.cause.reason)
    assert (step.verdict is Verdict.GRADE) <= own_doing
    assert (step.verdict is Verdict.FAIL) <= (not own_doing)


@given(endings, accounts, limits)
def test_a_counted_retry_is_within_its_limit(what, spent, retries):
    step = next_step(what, spent, retries)
    if step.counts:
        assert step.verdict is Verdict.RETRY
        used, limit = (
            (spent.agent, retries.agent)
            if fault_of(what.cause.reason) is Fault.AGENT
            else (spent.infrastructure, retries.infrastructure)
        )
        assert used < limit


@given(st.lists(reasons, max_size=20), limits)
def test_a_run_whose_attempts_all_go_wrong_comes_to_an_end(causes, retries):
    """Apart from what a person stopped and what moved on, the number of attempts is limited."""
    outcomes = []
    for reason in causes:
        step = next_step(ended(reason), spent_retries(outcomes), retries)
        outcomes.append(Outcome(step.verdict, reason, counts=step.counts))
        if step.verdict is not Verdict.RETRY:
            break
    counted = [outcome for outcome in outcomes if outcome.reason != Reason.SUSPENDED]
    assert len(counted) <= retries.infrastructure + retries.agent + 1


def test_only_counted_retries_are_spent():
    outcomes = [
        Outcome(Verdict.RETRY, "NodeLost"),
        Outcome(Verdict.RETRY, "Suspended", counts=False),
        Outcome(Verdict.RETRY, "NoSubmission"),
        Outcome(Verdict.FAIL, "NodeLost"),
        Outcome(Verdict.RETRY, "AReasonOfANewerVersion"),
    ]
    assert spent_retries(outcomes) == Spent(infrastructure=2, agent=1)


def test_each_failure_makes_the_wait_longer_up_to_a_limit():
    waits = [delay_after(failures).total_seconds() for failures in range(7)]
    assert waits == [0, 10, 40, 160, 600, 600, 600]
    assert delay_after(20) == delay_after(1_000_000) == LONGEST_DELAY == timedelta(minutes=10)
