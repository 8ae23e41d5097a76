"""Which ended tasks are removed."""

from datetime import timedelta

import pytest

from orchestrator.core.model import Ending, Outcome, Remove, TaskPhase, Verdict
from orchestrator.core.plan import decide
from tests.core.build import BIRDS, NOW, agent, experiment, grade, graded, key, lost, prepare, run, seen

TTL = timedelta(hours=2)
OLD = {"phase": TaskPhase.SUCCEEDED, "finished_at": NOW - TTL}
RECENT = {"phase": TaskPhase.SUCCEEDED, "finished_at": NOW - TTL + timedelta(seconds=1)}
GRADE = {"outcomes": {key(): Outcome(Verdict.GRADE)}}
REPORT = {"reports": {run(): graded()}}


def removals(found, **fields):
    plan = decide(experiment(ttlAfterFinished="2h", **fields), found, BIRDS, NOW)
    return {action.name for action in plan.actions if isinstance(action, Remove)}


@pytest.mark.parametrize(
    "task, fields, want",
    [
        pytest.param(agent(**OLD), GRADE, True, id="an attempt that was judged long ago"),
        pytest.param(agent(**RECENT), GRADE, False, id="one that ended lately is kept to be looked at"),
        pytest.param(
            agent(phase=TaskPhase.FAILED, created_at=NOW - TTL), GRADE, True, id="one that nobody knows the end of"
        ),
        pytest.param(agent(), GRADE, False, id="one that has not ended is kept"),
        pytest.param(grade(**OLD), {**GRADE, **REPORT}, True, id="a grading whose report is there"),
        pytest.param(grade(**OLD), GRADE, False, id="a grading that came to nothing is all that is remembered of it"),
        pytest.param(prepare(**OLD), {}, True, id="a preparation whose dataset is there"),
        pytest.param(
            prepare(**OLD), {"prepared": frozenset()}, False, id="one that came to nothing is all that is remembered"
        ),
        pytest.param(
            agent(unreachable_since=NOW - TTL), {"outcomes": {key(): lost()}}, True, id="what is left of a lost node"
        ),
        pytest.param(
            agent(phase=TaskPhase.QUEUED, ending=Ending.STOPPED),
            {"outcomes": {key(): lost("Suspended")}},
            True,
            id="one that was stopped in its queue, which could let it go again",
        ),
        pytest.param(agent(competition="whales", **OLD), {}, False, id="what nobody knows is not touched"),
    ],
)
def test_what_is_removed(task, fields, want):
    assert (task.name in removals(seen(task, **fields))) is want


def test_an_attempt_is_removed_after_it_is_judged_and_not_before():
    plan = decide(experiment(ttlAfterFinished="2h"), seen(agent(**OLD)), BIRDS, NOW)
    kinds = [type(action).__name__ for action in plan.actions]
    assert kinds.index("Judge") < kinds.index("Remove")


@pytest.mark.parametrize("fields, reason", [({"suspend": True}, "Suspended"), ({"cancelled": True}, "Cancelled")])
def test_what_is_stopped_in_its_queue_is_judged_and_then_removed(fields, reason):
    waits = agent(phase=TaskPhase.QUEUED, ending=Ending.STOPPED)
    plan = decide(experiment(**fields), seen(waits), BIRDS, NOW)
    judgement, *_, removal = plan.actions
    assert (judgement.outcome.reason, judgement.outcome.counts) == (reason, False)
    assert removal == Remove(waits.name)


def test_a_cancelled_experiment_leaves_failed_preparations_to_others_who_count_them():
    assert removals(seen(prepare(**OLD), prepared=frozenset()), cancelled=True) == set()
