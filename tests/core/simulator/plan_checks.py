"""Promises that are checked as the controller acts: about one plan, one start, one status."""

from __future__ import annotations

from orchestrator.api.types import ExperimentRunStatus, RunState
from orchestrator.core.failures import Reason
from orchestrator.core.model import AttemptKey, Experiment, Judge, Plan, Role, RunKey, Seen, Start, Stop, Task, Verdict
from orchestrator.core.names import agent_task, grade_task
from orchestrator.core.situation import PATIENCE, Situation
from tests.core.simulator.cluster import FakeCluster, Pod
from tests.core.simulator.scenario import WALL_CLOCK, Trouble
from tests.core.simulator.surroundings import Surroundings

_CAN_SEEM_LOST = frozenset({Trouble.NODE_DIES, Trouble.NODE_CUT_OFF, Trouble.STALE, Trouble.TWO_CONTROLLERS})


def check_plan(plan: Plan, experiment: Experiment, seen: Seen, around: Surroundings) -> None:
    """What a plan must keep to, by what its maker could see."""
    situation = Situation(experiment, seen, around.engine.now)
    starts = [action for action in plan.actions if isinstance(action, Start)]
    busy = {task.name: task for task in seen.tasks if situation.is_busy(task)}
    _check_parallelism(starts, busy, experiment, around)
    _check_suspension(starts, plan, busy, experiment, around)
    for start in starts:
        if start.role is Role.GRADE:
            _check_grade(start, busy, experiment, seen, around)
    for action in plan.actions:
        if isinstance(action, Judge) and action.outcome.reason == Reason.NODE_LOST:
            _check_silence(action, experiment, seen, around)


def check_start(start: Start, experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> None:
    """What must hold when a task that is not there is created."""
    if start.role is not Role.AGENT or start.seed is None:
        return
    key = AttemptKey(start.competition, start.seed, start.attempt)
    if key in around.journal.attempts and key in around.store.clocks:
        around.journal.complain("newest only", f"{key} is run a second time")
    around.journal.attempts[key] = start
    if key.attempt > 1 and key.run.attempt(key.attempt - 1) not in around.store.outcomes:
        around.journal.complain("judged first", f"{key} starts, but the attempt before it was not judged")
    if start.budget_seconds + start.consumed_seconds > WALL_CLOCK + 1 and start.budget_seconds > 0:
        around.journal.complain(
            "budget", f"{key} starts with {start.budget_seconds} s after {start.consumed_seconds} s"
        )
    limit = experiment.spec.parallelism
    if limit and not around.scenario.troubles & {Trouble.STALE, Trouble.TWO_CONTROLLERS}:
        living = [pod for pod in cluster.living(Role.AGENT) if not _is_given_up(pod, around)]
        if len(living) + 1 > limit:
            around.journal.complain("parallelism", f"{key} starts beside {len(living)} others; {limit} may run at once")


def check_status(before: Experiment, status: ExperimentRunStatus, around: Surroundings) -> None:
    """What was graded stays graded, and what has failed stays so until a person or a dataset changes it.

    But for two controllers of which one hears late: it may not have heard yet that the last try to grade has failed.
    """
    hears_late = around.scenario.troubles >= {Trouble.STALE, Trouble.TWO_CONTROLLERS}
    now = {RunKey(row.competition, row.seed): row for row in status.results}
    for row in before.status.results:
        run = RunKey(row.competition, row.seed)
        if row.state is RunState.GRADED and now[run] != row:
            around.journal.complain("kept", f"{run} was graded and is not any more")
        may_change = (
            before.retry_after.get(run) == row.attempt or row.reason == Reason.DATASET_UNAVAILABLE or hears_late
        )
        if row.state is RunState.FAILED and not now[run].state.is_finished and not may_change:
            around.journal.complain("kept", f"{run} had failed by {row.reason}, and goes on as {now[run].state}")


def check_judgement(judgement: Judge, experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> None:
    """Nothing is given up while it is at work."""
    pod = cluster.pods.get(agent_task(experiment.uid, judgement.key))
    if pod is None or judgement.outcome.verdict is Verdict.GRADE or around.scenario.troubles & _CAN_SEEM_LOST:
        return
    ends_otherwise = pod.task.ending is not None or (pod.was_taken_back and judgement.key in around.store.clocks)
    if ends_otherwise or pod.task.phase.is_final or judgement.key in around.store.records:
        return
    if pod.start.name in cluster.shown:
        around.journal.complain(
            "patience", f"{judgement.key} is {judgement.outcome.reason}, but it is {pod.task.phase}"
        )


def _check_parallelism(
    starts: list[Start], busy: dict[str, Task], experiment: Experiment, around: Surroundings
) -> None:
    agents = {name for name, task in busy.items() if task.role is Role.AGENT}
    new = {start.name for start in starts if start.role is Role.AGENT} - agents
    limit = experiment.spec.parallelism
    if new and limit and len(agents | new) > limit:
        around.journal.complain("parallelism", f"{len(agents | new)} agents are to run; {limit} may run at once")


def _check_suspension(
    starts: list[Start], plan: Plan, busy: dict[str, Task], experiment: Experiment, around: Surroundings
) -> None:
    if not experiment.spec.suspend:
        return
    begun = [start for start in starts if start.role is not Role.GRADE or not experiment.cancelled]
    if begun:
        around.journal.complain("suspended", f"{begun[0].name} starts in a suspended experiment")
    stopped = {action.name for action in plan.actions if isinstance(action, Stop)}
    for name, task in busy.items():
        judged = AttemptKey(task.competition, task.seed or 0, task.attempt) in around.store.outcomes
        collected = AttemptKey(task.competition, task.seed or 0, task.attempt) in around.store.records
        if task.role is Role.AGENT and name not in stopped and not judged and not collected:
            around.journal.complain("suspended", f"{name} goes on in a suspended experiment")


def _check_silence(judgement: Judge, experiment: Experiment, seen: Seen, around: Surroundings) -> None:
    """Nothing is given up as lost while its courier is heard of, unless its task says that it has ended."""
    heard, name = seen.heard.get(judgement.key), agent_task(experiment.uid, judgement.key)
    goes_on = any(task.name == name and task.ending is None and not task.phase.is_final for task in seen.tasks)
    if goes_on and heard is not None and around.engine.now < heard + PATIENCE:
        around.journal.complain("patience", f"{judgement.key} is given up as lost, but was heard of at {heard}")


def _check_grade(start: Start, busy: dict[str, Task], experiment: Experiment, seen: Seen, around: Surroundings) -> None:
    assert start.seed is not None
    assert start.grades_attempt is not None
    key = AttemptKey(start.competition, start.seed, start.grades_attempt)
    report = seen.reports.get(key.run)
    if report is not None and report.attempt == key.attempt:
        around.journal.complain("graded once", f"{key} is graded again, although its report is there")
    others = {grade_task(experiment.uid, key, number) for number in range(1, start.attempt)}
    if others & busy.keys():
        around.journal.complain("graded once", f"{key} is graded twice at a time")
    newest = max((known.attempt for known in around.journal.attempts if known.run == key.run), default=0)
    if newest != key.attempt:
        around.journal.complain("newest only", f"{key} is graded, but attempt {newest} is the newest")


def _is_given_up(pod: Pod, around: Surroundings) -> bool:
    assert pod.start.seed is not None
    outcome = around.store.outcomes.get(AttemptKey(pod.start.competition, pod.start.seed, pod.start.attempt))
    return outcome is not None and outcome.verdict is not Verdict.GRADE
