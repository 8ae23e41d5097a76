"""Which tasks are told to end."""

import pytest

from orchestrator.core.model import Ending, Outcome, Stop, TaskPhase, Verdict
from orchestrator.core.plan import decide
from tests.core.build import BIRDS, HOUR, NOW, agent, experiment, grade, key, lost, prepare, record, seen

GIVEN_UP = "this attempt was given up"
CANCELLED = "the experiment was cancelled"
SUSPENDED = "the experiment is suspended"


def stops(found, **fields):
    plan = decide(experiment(**fields), found, BIRDS, NOW)
    return [(action.name, action.why) for action in plan.actions if isinstance(action, Stop)]


@pytest.mark.parametrize(
    "found, fields, want",
    [
        pytest.param(seen(agent()), {}, [], id="a running attempt goes on"),
        pytest.param(seen(agent()), {"suspend": True}, [(agent().name, SUSPENDED)], id="until it is suspended"),
        pytest.param(seen(agent()), {"cancelled": True}, [(agent().name, CANCELLED)], id="or cancelled"),
        pytest.param(seen(agent(phase=TaskPhase.FAILED)), {"suspend": True}, [], id="what has ended is left alone"),
        pytest.param(
            seen(agent(), records={key(): record()}), {"cancelled": True}, [], id="and what is about to end by itself"
        ),
        pytest.param(
            seen(agent(unreachable_since=NOW - HOUR)), {}, [(agent().name, GIVEN_UP)], id="a lost attempt is given up"
        ),
        pytest.param(
            seen(agent(1), agent(2), outcomes={key(1): lost()}), {}, [(agent(1).name, GIVEN_UP)], id="if it comes back"
        ),
        pytest.param(
            seen(agent(), outcomes={key(): Outcome(Verdict.FAIL, "NodeLost")}),
            {},
            [(agent().name, GIVEN_UP)],
            id="also if no other follows",
        ),
        pytest.param(
            seen(agent(ending=Ending.IMAGE_PULL, phase=TaskPhase.STAGING)),
            {},
            [(agent().name, GIVEN_UP)],
            id="one that can't go on would hold its node for ever",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.QUEUED, requeued=True), clocks={key(): 60.0}),
            {},
            [(agent().name, GIVEN_UP)],
            id="one that its queue took back must not begin again",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.QUEUED, requeued=True), records={key(): record()}, clocks={key(): 60.0}),
            {},
            [(agent().name, "this attempt was collected")],
            id="also if it was collected by then",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.QUEUED, requeued=True)), {}, [], id="but for one that had not begun yet"
        ),
        pytest.param(
            seen(prepare(), prepared=frozenset()), {"cancelled": True}, [(prepare().name, CANCELLED)], id="nobody waits"
        ),
        pytest.param(
            seen(prepare(phase=TaskPhase.FAILED), prepared=frozenset()), {"cancelled": True}, [], id="nor runs any more"
        ),
        pytest.param(seen(agent(1), agent(2)), {}, [(agent(1).name, GIVEN_UP)], id="an older one has no business"),
        pytest.param(seen(prepare(), prepared=frozenset()), {"suspend": True}, [], id="a preparation is let finish"),
        pytest.param(
            seen(grade(), outcomes={key(): Outcome(Verdict.GRADE)}),
            {"cancelled": True, "suspend": True},
            [],
            id="so is a grading",
        ),
    ],
)
def test_what_is_stopped(found, fields, want):
    assert stops(found, **fields) == want
