"""What is told of tasks that the cluster would not create."""

import pytest

from orchestrator.core.plan import decide
from orchestrator.core.refused import JOBS_REFUSED, tell_refused
from tests.core.build import BIRDS, NOW, experiment, seen

QUOTA = 'jobs.batch "agent-1" is forbidden: exceeded quota: few, requested: count/jobs.batch=1, limited: 2'
INVALID = 'Job.batch "agent-1" is invalid: spec.template.spec.tolerations[0].key: Invalid value: "a key"'
PLAN = decide(experiment(), seen(), BIRDS, NOW)


def conditions(plan):
    return {condition.type: condition for condition in plan.status.conditions}


def test_nothing_is_told_when_nothing_was_refused():
    assert tell_refused(PLAN, []) is PLAN


@pytest.mark.parametrize(
    "said, want",
    [
        pytest.param(QUOTA, "raise the quota, or lower spec.ttlAfterFinished", id="a quota"),
        pytest.param(INVALID, "what is wrong in the spec needs a new experiment", id="a mistake"),
    ],
)
def test_the_status_and_an_event_say_how_many_why_and_what_to_do(said, want):
    told = tell_refused(PLAN, [said, "another"])
    progressing = conditions(told)["Progressing"]
    assert (progressing.status, progressing.reason) == ("True", JOBS_REFUSED)
    assert progressing.message.startswith(f"1 run: 1 queued. 2 Jobs were refused: {said}. ")
    assert want in progressing.message
    (event,) = told.events[len(PLAN.events) :]
    assert event.is_warning
    assert event.message in progressing.message


def test_the_other_conditions_and_all_else_stay():
    told, before = tell_refused(PLAN, [QUOTA]), conditions(PLAN)
    assert {name: one for name, one in conditions(told).items() if name != "Progressing"} == {
        name: one for name, one in before.items() if name != "Progressing"
    }
    assert conditions(told)["Progressing"].last_transition_time == before["Progressing"].last_transition_time
    assert (told.actions, told.requeue_after) == (PLAN.actions, PLAN.requeue_after)
