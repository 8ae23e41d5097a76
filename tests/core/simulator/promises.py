"""Promises that are checked when all is over, against what really happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from orchestrator.api.types import ResultRow, RunState
from orchestrator.core.failures import Reason, is_agents
from orchestrator.core.model import AttemptKey, Experiment, Outcome, RunKey, Verdict
from tests.core.simulator.agents import NEVER, script_of
from tests.core.simulator.cluster import FakeCluster
from tests.core.simulator.scenario import CLOCK_EVERY, WALL_CLOCK, Trouble
from tests.core.simulator.surroundings import Surroundings

LATE_SAVES = 300.0
"""Seconds that an attempt on a cut-off node can work on between the start of its successor and the moment when its
folders are restored there."""

Promise = Callable[[Experiment, FakeCluster, Surroundings], Iterator[str]]


def no_finished_run_is_lost(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """What was collected before it was judged is graded, and its report is there in the end."""
    for key, written in around.journal.records.items():
        judged = around.journal.judged.get(key)
        if written.record.interrupted or judged is None or judged.read_at < written.at:
            continue
        if not _was_heeded(judged.outcome):
            yield f"{key} was collected, but judged {judged.outcome}"
    for key, judged in around.journal.judged.items():
        if judged.outcome.verdict is not Verdict.GRADE or key.attempt != _newest(key.run, around):
            continue
        report, row = around.store.reports.get(key.run), _rows(experiment)[key.run]
        if (report is None or report.attempt != key.attempt) and row.reason != Reason.GRADER_ERROR:
            yield f"{key} was to be graded, but has no report"


def nothing_is_graded_twice(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """A run with a result has one report, about its newest attempt, and the status tells what it says."""
    for run, row in _rows(experiment).items():
        report = around.store.reports.get(run)
        has_result = row.state is RunState.GRADED or is_agents(row.reason)
        if has_result and (report is None or report.attempt != _newest(run, around) or report.valid is not row.valid):
            yield f"{run}: the status says {row}, the report is {report}"
    for run, attempts in around.journal.graded.items():
        again = {attempt for attempt in attempts if attempts.count(attempt) > 1}
        if again and not around.scenario.troubles & _GRADERS_CAN_BE_LOST:
            yield f"{run}: attempts {again} were graded more than once"


def no_fault_becomes_a_zero(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """Only an agent that was done is graded, and one that leaves a submission when undisturbed is never without.

    But one that filled its disk: of that there are copies, or none.
    """
    for run, report in around.store.reports.items():
        key = run.attempt(report.attempt)
        record, filled_disk = around.store.records.get(key), around.store.outcomes[key].reason == Reason.DISK_FULL
        if filled_disk and script_of(around.scenario, key).fills_disk_after == NEVER:
            yield f"{key} was graded by its copies, but its agent does not fill its disk"
        elif not filled_disk and (record is None or record.interrupted):
            yield f"{key} was graded, but its agent was not done"
    for run, row in _rows(experiment).items():
        if row.state is not RunState.FAILED or not is_agents(row.reason):
            continue
        key = run.attempt(row.attempt)
        if around.store.reports.get(run) is None:
            yield f"{key} is {row.reason}, but was never graded"
        elif (
            row.reason not in (Reason.INVALID_SUBMISSION, Reason.DISK_FULL) and script_of(around.scenario, key).submits
        ):
            yield f"{key} is {row.reason}, but its agent submits when nobody disturbs it"


def missing_runs_leave_their_seed_incomplete(
    experiment: Experiment, cluster: FakeCluster, around: Surroundings
) -> Iterator[str]:
    """The figures count exactly the seeds in which every run has a report about its newest attempt."""
    complete = sum(
        all(
            (report := around.store.reports.get(RunKey(competition, seed))) is not None
            and report.attempt == _newest(RunKey(competition, seed), around)
            for competition in around.scenario.facts
        )
        for seed in range(around.scenario.seeds)
    )
    counted = experiment.status.summary["demo"].complete_seeds
    if counted != complete:
        yield f"the status counts {counted} complete seeds, there are {complete}"


def budgets_are_kept(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """A run has no more work in its folders than its budget, and uses no more time but for uncounted minutes."""
    allowed_late = LATE_SAVES if around.scenario.has(Trouble.NODE_CUT_OFF) else 1.0
    for key, work in around.store.saved.items():
        if work > WALL_CLOCK + allowed_late:
            yield f"{key} has {work:.0f} s of work in its folders; the budget is {WALL_CLOCK:.0f} s"
    if around.scenario.troubles & _CLOCKS_CAN_BE_LOST:
        return
    used: dict[AttemptKey, float] = {}
    for key, start in sorted(around.journal.attempts.items()):
        before = used.get(key.run.attempt(key.attempt - 1), 0.0) if start.resume_from else 0.0
        used[key] = before + sum(stretch.end - stretch.start for stretch in around.journal.worked[key])
        if used[key] > WALL_CLOCK + key.attempt * CLOCK_EVERY:
            yield f"{key} brings the run to {used[key]:.0f} s; the budget is {WALL_CLOCK:.0f} s"


def retries_are_within_limits(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    limits = around.scenario.infrastructure_retries, around.scenario.agent_retries
    rounds = 3 if around.scenario.has(Trouble.RETRIED) else 1
    for run in _rows(experiment):
        counted = [
            is_agents(judged.outcome.reason)
            for key, judged in around.journal.judged.items()
            if key.run == run and judged.outcome.verdict is Verdict.RETRY and judged.outcome.counts
        ]
        if counted.count(False) > rounds * limits[0] or counted.count(True) > rounds * limits[1]:
            yield f"{run} was retried {counted.count(False)} and {counted.count(True)} times; allowed are {limits}"


def tasks_are_tidied_up(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """Long after the end only what is remembered nowhere else is left."""
    for task in cluster.shown.values():
        if task.seed is None:
            forgotten = task.competition in around.store.prepared
        else:
            row = _rows(experiment)[RunKey(task.competition, task.seed)]
            forgotten = row.reason != Reason.GRADER_ERROR
        if forgotten:
            yield f"{task.name} ({task.phase}) is still there"


def wishes_come_true(experiment: Experiment, cluster: FakeCluster, around: Surroundings) -> Iterator[str]:
    """What a person asks to retry is tried once more: its attempt, its grading or its dataset, whatever had failed."""
    if experiment.cancelled:
        return
    for asked_at, run in around.journal.wished:
        later = [start for at, start in around.journal.started if at >= asked_at]
        if not any(start.competition == run.competition and start.seed in (None, run.seed) for start in later):
            yield f"{run} was to be retried, but nothing was started for it"


PROMISES: Mapping[str, Promise] = {
    "kept": no_finished_run_is_lost,
    "graded once": nothing_is_graded_twice,
    "no zero": no_fault_becomes_a_zero,
    "seeds": missing_runs_leave_their_seed_incomplete,
    "budget": budgets_are_kept,
    "retries": retries_are_within_limits,
    "tidy": tasks_are_tidied_up,
    "wishes": wishes_come_true,
}

_GRADERS_CAN_BE_LOST = frozenset(
    {
        Trouble.POD_DELETED,
        Trouble.JOB_DELETED,
        Trouble.EVICTED,
        Trouble.POD_MEMORY,
        Trouble.NODE_DIES,
        Trouble.NODE_CUT_OFF,
        Trouble.STALE,
    }
)
_CLOCKS_CAN_BE_LOST = frozenset({Trouble.NODE_CUT_OFF, Trouble.STORE_OUT, Trouble.STALE})


def _was_heeded(outcome: Outcome) -> bool:
    """A collected attempt is graded, or tried again because its agent left nothing, or was robbed of its time."""
    if outcome.verdict is Verdict.GRADE:
        return True
    return is_agents(outcome.reason) or outcome.reason == Reason.TIME_LOST


def _newest(run: RunKey, around: Surroundings) -> int:
    return max((key.attempt for key in around.journal.attempts if key.run == run), default=0)


def _rows(experiment: Experiment) -> dict[RunKey, ResultRow]:
    return {RunKey(row.competition, row.seed): row for row in experiment.status.results}
