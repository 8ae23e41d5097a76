"""Why an attempt ended, by what was seen of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.diagnose import Evidence, diagnose, has_ended
from orchestrator.core.failures import is_agents
from orchestrator.core.model import AttemptRecord, Ending, TaskPhase
from tests.core.build import NOW, agent, record

DONE = TaskPhase.SUCCEEDED
CRASHED = TaskPhase.FAILED


def evidence(task=None, record=None, **fields):
    return Evidence(task, record, **fields)


@pytest.mark.parametrize(
    "seen, want",
    [
        pytest.param(evidence(agent(phase=DONE), record()), None, id="an agent that is done and left a submission"),
        pytest.param(
            evidence(agent(phase=DONE), record(deadline_reached=True, exit_code=143)),
            None,
            id="an agent that used all its time and left a submission",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED), record(exit_code=1)), "AgentError", id="a crash is named, submission or not"
        ),
        pytest.param(
            evidence(agent(phase=DONE), record(has_submission=False)), "NoSubmission", id="an agent that left nothing"
        ),
        pytest.param(
            evidence(agent(phase=CRASHED), record(exit_code=1, has_submission=False)),
            "AgentError",
            id="a crash explains more than a missing submission",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED), record(exit_code=143, deadline_reached=True, has_submission=False)),
            "DeadlineWithoutSubmission",
            id="an agent that is ended by the clock has not crashed",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED), record(deadline_reached=True, has_submission=False), lost_time=True),
            "TimeLost",
            id="nor has one that a lost machine robbed of its time",
        ),
        pytest.param(
            evidence(agent(phase=DONE), record(deadline_reached=True), lost_time=True),
            None,
            id="but what it left by then is graded",
        ),
        pytest.param(
            evidence(agent(phase=DONE), record(has_submission=False), lost_time=True),
            "NoSubmission",
            id="and one that ends by itself had time enough",
        ),
        pytest.param(
            evidence(agent(phase=DONE), record(out_of_memory=True)),
            "OOMKilled",
            id="a child was killed for memory and the shell carried on with exit code 0",
        ),
        pytest.param(
            evidence(agent(phase=DONE), record(model_budget_spent=True, exit_code=1, has_submission=False)),
            "ModelBudgetSpent",
            id="an agent without money for its model",
        ),
        pytest.param(evidence(agent(ending=Ending.IMAGE_PULL)), "ImagePull", id="an image that is not there"),
        pytest.param(
            evidence(agent(ending=Ending.NOT_CONFIGURED)), "NotConfigured", id="a Secret of the spec that is not there"
        ),
        pytest.param(evidence(agent(ending=Ending.STAGING)), "Staging", id="a dataset that did not arrive"),
        pytest.param(
            evidence(agent(phase=TaskPhase.QUEUED, requeued=True), has_clock=True),
            "Disrupted",
            id="a queue that took the attempt back",
        ),
        pytest.param(
            evidence(agent(phase=TaskPhase.QUEUED, requeued=True), record(interrupted=True), has_clock=True),
            "Disrupted",
            id="and collected it before",
        ),
        pytest.param(
            evidence(agent(ending=Ending.STAGING), has_clock=True),
            "Disrupted",
            id="and let it go again, where its second pod was given nothing",
        ),
        pytest.param(
            evidence(agent(ending=Ending.OOM_KILLED), record(interrupted=True)),
            "OOMKilled",
            id="the whole container was killed for memory, launcher and all, and what was there is collected",
        ),
        pytest.param(
            evidence(agent(ending=Ending.OOM_KILLED), record(interrupted=True), cancelled=True),
            "OOMKilled",
            id="which is graded also if the experiment is cancelled then",
        ),
        pytest.param(
            evidence(agent(ending=Ending.DISRUPTED), record(interrupted=True, out_of_memory=True)),
            "Disrupted",
            id="a child was killed for memory, but the agent went on until it was evicted",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED, ending=Ending.DISK_FULL), has_clock=True),
            "DiskFull",
            id="an agent that filled its disk is to blame although nobody could collect it",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED, ending=Ending.DISK_FULL), record(interrupted=True)),
            "DiskFull",
            id="and also if somebody could, just in time",
        ),
        pytest.param(
            evidence(agent(phase=CRASHED, ending=Ending.DISK_FULL), record()),
            None,
            id="but not if it was done and collected before",
        ),
        pytest.param(evidence(agent(ending=Ending.NOT_ISOLATED)), "NetworkNotIsolated", id="an open network"),
        pytest.param(evidence(agent(ending=Ending.DISRUPTED)), "Disrupted", id="an eviction"),
        pytest.param(
            evidence(agent(ending=Ending.DISRUPTED), record(interrupted=True)),
            "Disrupted",
            id="an eviction with notice: collected, but the agent was not done",
        ),
        pytest.param(
            evidence(agent(ending=Ending.DELETED)), "PodDeleted", id="a pod that was deleted without a condition"
        ),
        pytest.param(evidence(None), "PodDeleted", id="a task that is gone, Job and all"),
        pytest.param(evidence(None, record(interrupted=True)), "PodDeleted", id="a task that is gone after a notice"),
        pytest.param(evidence(agent(ending=Ending.NODE_LOST)), "NodeLost", id="a node that the platform gave up"),
        pytest.param(evidence(agent(), is_lost=True), "NodeLost", id="a node that is silent for too long"),
        pytest.param(
            evidence(agent(ending=Ending.STORE_UNAVAILABLE)), "StoreUnavailable", id="a store that is out of reach"
        ),
        pytest.param(
            evidence(agent(ending=Ending.OOM_KILLED)), "FilesLost", id="killed for memory, courier and all: lost"
        ),
        pytest.param(evidence(agent(ending=Ending.DEADLINE)), "FilesLost", id="ended by the far backstop: lost"),
        pytest.param(evidence(agent(phase=DONE, exit_code=0)), "FilesLost", id="done without a record: lost"),
        pytest.param(evidence(agent(phase=CRASHED, exit_code=1)), "FilesLost", id="crashed without a record: lost"),
        pytest.param(
            evidence(agent(phase=CRASHED, exit_code=143), record(interrupted=True)),
            "Disrupted",
            id="interrupted and nobody says by whom",
        ),
        pytest.param(evidence(agent(ending=Ending.STOPPED)), "Suspended", id="stopped by us before it began"),
        pytest.param(
            evidence(agent(ending=Ending.STOPPED), record(interrupted=True)), "Suspended", id="stopped by us at work"
        ),
        pytest.param(
            evidence(agent(ending=Ending.STOPPED), record()), None, id="stopped by us, but it was done just before"
        ),
        pytest.param(
            evidence(agent(ending=Ending.STOPPED), record(interrupted=True), cancelled=True),
            "Cancelled",
            id="stopped because the experiment is cancelled",
        ),
        pytest.param(evidence(agent(), cancelled=True, is_lost=True), "Cancelled", id="lost after it was cancelled"),
    ],
)
def test_why_an_attempt_ended(seen, want):
    cause = diagnose(seen)
    assert (cause.reason if cause else None) == want


@pytest.mark.parametrize("ending", Ending)
@pytest.mark.parametrize("cancelled", [False, True])
def test_what_was_collected_is_believed_whatever_became_of_the_pod(ending, cancelled):
    seen = evidence(agent(ending=ending), record(), cancelled=cancelled)
    assert diagnose(seen) is None


@pytest.mark.parametrize(
    "seen, want",
    [
        pytest.param(evidence(agent()), False, id="a running task"),
        pytest.param(evidence(agent(phase=TaskPhase.COLLECTING)), False, id="a collecting task"),
        pytest.param(evidence(agent(phase=DONE)), True, id="a task that succeeded"),
        pytest.param(evidence(agent(phase=CRASHED)), True, id="a task that failed"),
        pytest.param(evidence(agent(), record()), True, id="a task whose record is in the store, whatever it says"),
        pytest.param(
            evidence(agent(), record(interrupted=True)), False, id="interrupted: its task has yet to say by what"
        ),
        pytest.param(evidence(agent(), record(interrupted=True), is_lost=True), True, id="interrupted, then lost"),
        pytest.param(evidence(agent(unreachable_since=NOW)), False, id="a node that is silent for a moment"),
        pytest.param(evidence(agent(), is_lost=True), True, id="a node that is silent for too long"),
        pytest.param(evidence(None), True, id="a task that is gone"),
        pytest.param(
            evidence(agent(phase=TaskPhase.STAGING, ending=Ending.IMAGE_PULL)), True, id="a task that can't go on"
        ),
        pytest.param(
            evidence(agent(phase=TaskPhase.QUEUED, requeued=True), has_clock=True), True, id="a queue took it back"
        ),
        pytest.param(
            evidence(agent(phase=TaskPhase.QUEUED, requeued=True)), False, id="but the agent had not begun by then"
        ),
        pytest.param(
            evidence(agent(phase=TaskPhase.QUEUED), has_clock=True),
            False,
            id="an old view of a task that has begun since it was queued",
        ),
    ],
)
def test_when_an_attempt_has_ended(seen, want):
    assert has_ended(seen) is want


def test_the_message_says_what_the_platform_said():
    cause = diagnose(evidence(agent(ending=Ending.STAGING, message="shard 3 is broken")))
    assert cause.message == "The dataset could not be brought to the agent's pod whole. shard 3 is broken"


def test_a_lost_node_is_named():
    assert "Node gpu-7." in diagnose(evidence(agent(node="gpu-7"), is_lost=True)).message


tasks = st.none() | st.builds(
    agent,
    phase=st.sampled_from(TaskPhase),
    ending=st.none() | st.sampled_from(Ending),
    exit_code=st.none() | st.integers(-9, 255),
    requeued=st.booleans(),
)
records = st.builds(
    AttemptRecord,
    exit_code=st.none() | st.integers(-9, 255),
    deadline_reached=st.booleans(),
    interrupted=st.booleans(),
    has_submission=st.booleans(),
    consumed_seconds=st.floats(0, 86_400),
    out_of_memory=st.booleans(),
    model_budget_spent=st.booleans(),
)


@given(tasks, st.none() | records, st.booleans(), st.booleans(), st.booleans())
def test_nothing_is_held_against_an_agent_that_was_not_collected(task, found, is_lost, cancelled, has_clock):
    """But that it filled its disk."""
    cause = diagnose(Evidence(task, found, is_lost=is_lost, cancelled=cancelled, has_clock=has_clock))
    by_its_doing = task is not None and task.ending in (Ending.OOM_KILLED, Ending.DISK_FULL)
    if found is None or (found.interrupted and not by_its_doing):
        assert cause is not None
        filled_its_disk = task is not None and task.ending is Ending.DISK_FULL
        assert not is_agents(cause.reason) or (filled_its_disk and cause.reason == "DiskFull")
    else:
        assert cause is None or is_agents(cause.reason)


@given(tasks, records.filter(lambda found: not found.interrupted and not found.has_submission), st.booleans())
def test_an_agent_that_left_nothing_always_has_a_reason(task, found, lost_time):
    assert diagnose(Evidence(task, found, lost_time=lost_time)) is not None
