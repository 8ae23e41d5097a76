"""The simulator's checks can fail: each of these breaks one decision and is caught by the check that guards it."""

from dataclasses import replace

import pytest

from orchestrator.core import budget, diagnose, expiry, history, judge, plan, schedule, state, status, tries
from orchestrator.core.model import AttemptKey, Judge, Start
from orchestrator.core.names import agent_task
from orchestrator.core.retry import Spent
from orchestrator.core.situation import PATIENCE, Situation
from orchestrator.core.tries import Tries
from tests.core.simulator import controller
from tests.core.simulator.scenario import Scenario, Trouble
from tests.core.simulator.world import World

AT_MOST = 12
"""Experiments that a broken decision may survive before it is caught."""


def first_caught(scenario):
    """The first of some experiments in which a check complains, and the checks that do."""
    for chance in range(AT_MOST):
        played = replace(scenario, chance=chance)
        problems = World(played).play()
        if problems:
            return played, {problem.check for problem in problems}
    return scenario, set()


def believe_no_record(patch):
    patch.setattr(diagnose.Evidence, "is_collected", property(lambda self: False))


def take_interrupted_for_done(patch):
    patch.setattr(diagnose.Evidence, "is_collected", property(lambda self: self.record is not None))
    patch.setattr(diagnose, "RULES", tuple(rule for rule in diagnose.RULES if rule is not diagnose.interrupted))


def ignore_lost_time(patch):
    allow = budget.allow
    patch.setattr(judge, "allow", lambda *given: replace(allow(*given), lost_time=False))


def ignore_parallelism(patch):
    patch.setattr(schedule, "free_slots", lambda situation: None)


def resume_with_the_full_budget(patch):
    allow = budget.allow
    full = {"seconds": 7200.0, "consumed_seconds": 0.0}
    patch.setattr(schedule, "allow", lambda *given: replace(allow(*given), **full))


def never_grade(patch):
    patch.setattr(plan, "choose_grades", lambda *given: ())


def grade_without_waiting(patch):
    def next_at_once(tasks, situation, since):
        return Tries(next=max((task.attempt for task in tasks), default=0) + 1)

    patch.setattr(state, "look_at", next_at_once)


def accept_a_report_about_an_older_attempt(patch):
    patch.setattr(history.History, "result", property(lambda self: self.report))


def run_the_same_attempt_again(patch):
    choose = plan.choose_attempts

    def first_attempts(runs, histories, situation):
        for start in choose(runs, histories, situation):
            key = AttemptKey(start.competition, start.seed, 1)
            yield replace(start, attempt=1, name=agent_task(situation.experiment.uid, key))

    patch.setattr(plan, "choose_attempts", first_attempts)


def start_before_judging(patch):
    decide = plan.decide

    def backwards(*given):
        made = decide(*given)
        starts = [action for action in made.actions if isinstance(action, Start)]
        judgements = [action for action in made.actions if isinstance(action, Judge)]
        rest = [action for action in made.actions if not isinstance(action, Start | Judge)]
        return replace(made, actions=(*starts, *judgements, *rest))

    patch.setattr(controller, "decide", backwards)


def let_suspended_agents_go_on(patch):
    patch.setattr(plan, "choose_stops", lambda *given: ())


def forget_what_was_spent(patch):
    patch.setattr(judge, "spent_retries", lambda outcomes: Spent())


def never_tidy_up(patch):
    patch.setattr(plan, "choose_removals", lambda *given: ())


def remove_what_is_remembered_nowhere_else(patch):
    patch.setattr(expiry, "_is_remembered", lambda *given: True)


def count_missing_runs_as_failures(patch):
    figures = status.figures
    patch.setattr(status, "figures", lambda rows, ids: figures(rows, ids, pad_missing=True))


def lose_patience_at_once(patch):
    patch.setattr(diagnose, "has_ended", lambda seen: True)
    patch.setattr(judge, "has_ended", lambda seen: True)


def hear_nobody(patch):
    patch.setattr(Situation, "lost_at", lambda self, task: task.unreachable_since and task.unreachable_since + PATIENCE)


def wait_for_a_queue_for_ever(patch):
    patch.setattr(diagnose.Evidence, "was_taken_back", property(lambda self: False))


def wait_for_an_image_for_ever(patch):
    patch.setattr(judge, "has_ended", lambda seen: seen.task is None or seen.is_collected or seen.task.phase.is_final)


def note_nothing(patch):
    patch.setattr(plan, "choose_notes", lambda situation: ())


def remember_failures_for_ever(patch):
    patch.setattr(tries, "_forgotten", lambda made, asked_at: 0)


BREAKAGES = [
    (wait_for_a_queue_for_ever, "ends", {}, {Trouble.TAKEN_BACK}),
    (wait_for_an_image_for_ever, "ends", {}, {Trouble.IMAGE_PULL}),
    (remember_failures_for_ever, "wishes", {}, {Trouble.RETRIED, Trouble.DATASET_MISSING}),
    (note_nothing, "kept", {"infrastructure_retries": 0}, {Trouble.GRADER_FAILS, Trouble.PODS_SWEPT}),
    (believe_no_record, "kept", {}, set()),
    (take_interrupted_for_done, "no zero", {}, {Trouble.SUSPENDED}),
    (ignore_lost_time, "no zero", {"resume": True}, {Trouble.NODE_DIES, Trouble.AGENT_SLOW, Trouble.POD_MEMORY}),
    (ignore_parallelism, "parallelism", {"parallelism": 1}, set()),
    (resume_with_the_full_budget, "budget", {"resume": True}, {Trouble.EVICTED, Trouble.AGENT_SLOW}),
    (never_grade, "ends", {"competitions": 1, "seeds": 1}, set()),
    (grade_without_waiting, "graded once", {}, set()),
    (accept_a_report_about_an_older_attempt, "graded once", {}, {Trouble.RETRIED, Trouble.AGENT_SILENT}),
    (run_the_same_attempt_again, "newest only", {}, {Trouble.JOB_DELETED}),
    (start_before_judging, "judged first", {}, {Trouble.EVICTED}),
    (let_suspended_agents_go_on, "suspended", {}, {Trouble.SUSPENDED}),
    (forget_what_was_spent, "retries", {"infrastructure_retries": 1}, {Trouble.IMAGE_PULL, Trouble.STAGING}),
    (never_tidy_up, "tidy", {}, set()),
    (remove_what_is_remembered_nowhere_else, "kept", {"infrastructure_retries": 0}, {Trouble.GRADER_FAILS}),
    (count_missing_runs_as_failures, "seeds", {}, {Trouble.DATASET_MISSING}),
    (lose_patience_at_once, "patience", {}, set()),
    (hear_nobody, "patience", {}, {Trouble.NODE_CUT_OFF}),
]


@pytest.mark.parametrize("breakage, check, fields, troubles", BREAKAGES, ids=[row[0].__name__ for row in BREAKAGES])
def test_a_broken_decision_is_caught(breakage, check, fields, troubles, monkeypatch):
    breakage(monkeypatch)
    scenario, checks = first_caught(Scenario(troubles=frozenset(troubles), **fields))
    assert check in checks
    monkeypatch.undo()
    assert World(scenario).play() == [], "the same experiment is clean when nothing is broken"
