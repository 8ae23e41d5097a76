"""When an experiment is looked at again although nothing is reported."""

from datetime import timedelta

import pytest

from orchestrator.core.model import Outcome, TaskPhase, Verdict
from orchestrator.core.plan import decide
from orchestrator.core.waiting import RESYNC
from tests.core.build import BIRDS, HOUR, MINUTE, NOW, agent, experiment, grade, graded, key, lost, prepare, run, seen

FAILED = {"phase": TaskPhase.FAILED, "created_at": NOW - timedelta(seconds=4), "is_noted": True}
GRADE = {"outcomes": {key(): Outcome(Verdict.GRADE)}}
PUBLISHED = {"reports": {run(): graded()}, "report_is_published": True}


@pytest.mark.parametrize(
    "found, want",
    [
        pytest.param(seen(agent()), RESYNC, id="while it runs, from time to time"),
        pytest.param(
            seen(agent(unreachable_since=NOW - 8 * MINUTE)), 2 * MINUTE, id="when a silent node is to be given up"
        ),
        pytest.param(
            seen(agent(unreachable_since=NOW - HOUR), heard={key(): NOW - 7 * MINUTE}),
            3 * MINUTE,
            id="when it has been silent for long enough since its courier was heard of",
        ),
        pytest.param(
            seen(agent(**FAILED), outcomes={key(): lost()}), timedelta(seconds=6), id="when the next attempt is due"
        ),
        pytest.param(seen(grade(**FAILED), **GRADE), timedelta(seconds=6), id="when the next grading is due"),
        pytest.param(
            seen(prepare(**FAILED), prepared=frozenset()), timedelta(seconds=6), id="when the next preparation is due"
        ),
        pytest.param(seen(**PUBLISHED), None, id="never, once all is done"),
        pytest.param(
            seen(agent(changes_at=NOW + MINUTE), agent(attempt=2), outcomes={key(): lost()}, **PUBLISHED),
            MINUTE,
            id="when a pod is overdue, though all is done: it may be that of an attempt that was given up",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.COLLECTING), **GRADE, **PUBLISHED),
            RESYNC,
            id="from time to time, though all is done, while a task has not ended",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.SUCCEEDED, finished_at=NOW - MINUTE), **GRADE, **PUBLISHED),
            timedelta(hours=168) - MINUTE,
            id="when there is something to tidy up",
        ),
    ],
)
def test_when_to_look_again(found, want):
    assert decide(experiment(), found, BIRDS, NOW).requeue_after == want


def test_nothing_is_left_undone_when_the_wait_is_over():
    """Whatever a plan waits for, the plan at that time does something about it."""
    for found in (
        seen(agent(unreachable_since=NOW - 8 * MINUTE)),
        seen(agent(**FAILED), outcomes={key(): lost()}),
        seen(grade(**FAILED), **GRADE),
        seen(prepare(**FAILED), prepared=frozenset()),
    ):
        plan = decide(experiment(), found, BIRDS, NOW)
        assert plan.actions == ()
        assert decide(experiment(), found, BIRDS, NOW + plan.requeue_after).actions != ()
