"""The judgement of an attempt: what is written down, and about which attempts."""

import pytest

from orchestrator.core.history import gather
from orchestrator.core.judge import judge_ended
from orchestrator.core.model import Ending, Judge, Outcome, TaskPhase, Verdict
from orchestrator.core.situation import Situation
from tests.core.build import MINUTE, NOW, agent, experiment, graded, key, lost, record, run, seen

RESUMING = {"agent": {"name": "aide", "image": "aide:1", "resume": True}, "budget": {"wallClock": "24h"}}


def judgements(asked, found):
    situation = Situation(asked, found, NOW)
    return list(judge_ended(gather([run()], asked, found).values(), situation))


def outcome_of(asked, found):
    (judgement,) = judgements(asked, found)
    return judgement.outcome


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(seen(), id="nothing was tried"),
        pytest.param(seen(agent()), id="the attempt is running"),
        pytest.param(
            seen(agent(phase=TaskPhase.FAILED), outcomes={key(): lost()}), id="the attempt was judged already"
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.FAILED), agent(2), outcomes={key(): lost()}), id="the newest one is running"
        ),
        pytest.param(
            seen(agent(1), agent(2), records={key(1): record()}, outcomes={key(1): lost()}),
            id="an older one came back and finished",
        ),
        pytest.param(
            seen(agent(phase=TaskPhase.SUCCEEDED), reports={run(): graded()}), id="its report is there already"
        ),
        pytest.param(seen(agent(unreachable_since=NOW - 9 * MINUTE)), id="its node is silent, but not for too long"),
    ],
)
def test_what_is_not_judged(found):
    assert judgements(experiment(), found) == []


def test_a_silent_node_is_given_up_after_ten_minutes():
    assert outcome_of(experiment(), seen(agent(unreachable_since=NOW - 10 * MINUTE))).reason == "NodeLost"


def test_an_attempt_that_left_something_in_the_store_and_has_no_task_was_deleted():
    assert judgements(experiment(), seen(clocks={key(2): 60.0}))[0] == Judge(
        key(2),
        Outcome(
            Verdict.RETRY,
            "PodDeleted",
            "The attempt's pod or process is gone and nobody said why.",
            consumed_seconds=60.0,
            lost_time=True,
        ),
    )


def test_what_was_saved_and_used_is_written_down_for_the_next_attempt():
    asked = experiment(**RESUMING)
    found = seen(agent(ending=Ending.NODE_LOST), clocks={key(): 7200.0}, saved=frozenset({key()}))
    outcome = outcome_of(asked, found)
    assert (outcome.saved, outcome.consumed_seconds) == (1, 7200.0)


def test_an_attempt_that_saved_nothing_hands_on_what_it_had():
    asked = experiment(**RESUMING)
    found = seen(
        agent(2, ending=Ending.IMAGE_PULL),
        outcomes={key(1): lost(saved=1, consumed_seconds=7200.0)},
    )
    outcome = outcome_of(asked, found)
    assert (outcome.saved, outcome.consumed_seconds) == (1, 7200.0)


def test_what_an_older_attempt_saves_later_does_not_change_what_is_handed_on():
    asked = experiment(**RESUMING)
    found = seen(
        agent(2, ending=Ending.IMAGE_PULL),
        outcomes={key(1): lost(saved=None)},
        clocks={key(1): 9000.0},
        saved=frozenset({key(1)}),
    )
    outcome = outcome_of(asked, found)
    assert (outcome.saved, outcome.consumed_seconds) == (None, 0.0)


@pytest.mark.parametrize(
    "found, want",
    [
        pytest.param(seen(agent(ending=Ending.NODE_LOST), clocks={key(): 60.0}), True, id="a node took it along"),
        pytest.param(seen(agent(ending=Ending.IMAGE_PULL)), False, id="there was none"),
        pytest.param(
            seen(agent(ending=Ending.STOPPED), records={key(): record(interrupted=True)}), False, id="it was collected"
        ),
    ],
)
def test_whether_the_work_of_an_attempt_was_lost(found, want):
    assert outcome_of(experiment(**RESUMING), found).lost_time is want


def test_an_agent_that_ran_out_of_time_because_a_machine_was_lost_starts_over():
    asked = experiment(**RESUMING)
    found = seen(
        agent(2, phase=TaskPhase.SUCCEEDED),
        outcomes={key(1): lost(saved=1, consumed_seconds=80_000.0, lost_time=True)},
        records={key(2): record(deadline_reached=True, has_submission=False, consumed_seconds=86_400.0)},
        saved=frozenset({key(1), key(2)}),
    )
    outcome = outcome_of(asked, found)
    assert (outcome.verdict, outcome.reason, outcome.saved) == (Verdict.RETRY, "TimeLost", None)


@pytest.mark.parametrize(
    "worked, counts",
    [
        pytest.param(60.0, False, id="a minute of saved work makes it free"),
        pytest.param(59.0, True, id="next to nothing does not"),
    ],
)
def test_a_disruption_costs_a_resuming_run_nothing_if_it_moved_on(worked, counts):
    asked = experiment(**RESUMING)
    found = seen(
        agent(2, ending=Ending.DISRUPTED),
        outcomes={key(1): lost(saved=1, consumed_seconds=7200.0)},
        clocks={key(2): 7200.0 + worked},
        saved=frozenset({key(1), key(2)}),
    )
    assert outcome_of(asked, found).counts is counts


def test_work_that_was_not_saved_is_no_progress():
    asked = experiment(**RESUMING)
    found = seen(agent(ending=Ending.DISRUPTED), clocks={key(1): 7200.0})
    assert outcome_of(asked, found).counts is True


def test_time_that_was_lost_is_remembered_for_as_long_as_the_run_goes_on_from_there():
    found = seen(
        agent(2, ending=Ending.STOPPED),
        outcomes={key(1): lost(saved=1, consumed_seconds=60.0, lost_time=True)},
        records={key(2): record(interrupted=True)},
    )
    assert outcome_of(experiment(**RESUMING), found).lost_time is True


def test_a_task_that_ended_before_its_node_fell_silent_has_ended():
    ended = agent(phase=TaskPhase.SUCCEEDED, unreachable_since=NOW - 60 * MINUTE)
    assert outcome_of(experiment(), seen(ended)).reason == "FilesLost"


@pytest.mark.parametrize(
    "found, want",
    [
        pytest.param(record(has_submission=False), Verdict.RETRY, id="an agent that left nothing"),
        pytest.param(record(exit_code=1), Verdict.GRADE, id="an agent that crashed after it had left something"),
    ],
)
def test_who_is_tried_again_at_the_agents_expense(found, want):
    asked = experiment(retries={"agent": 1})
    assert outcome_of(asked, seen(agent(phase=TaskPhase.SUCCEEDED), records={key(): found})).verdict is want


def test_every_retry_counts_from_the_first_attempt_on():
    found = seen(agent(2, ending=Ending.NODE_LOST), outcomes={key(1): lost()})
    assert outcome_of(experiment(retries={"infrastructure": 2}), found).verdict is Verdict.RETRY
    assert outcome_of(experiment(retries={"infrastructure": 1}), found).verdict is Verdict.FAIL


def test_after_a_persons_retry_the_retries_are_counted_anew():
    spent = {key(1): lost(), key(2): Outcome(Verdict.FAIL, "NodeLost")}
    asked = experiment(retries={"infrastructure": 1}, retry_after={run(): 2})
    assert outcome_of(asked, seen(agent(3, ending=Ending.NODE_LOST), outcomes=spent)).verdict is Verdict.RETRY
    spent[key(3)] = lost()
    assert outcome_of(asked, seen(agent(4, ending=Ending.NODE_LOST), outcomes=spent)).verdict is Verdict.FAIL
