"""What to tell a person who watches: how attempts ended, how runs came out, and when the experiment changes phase.

Events follow from what this reconcile decided and from what differs between the old status and the new one. Those of a
judgement are told before it is written, the others after the status is, so each is told once, or twice where a
reconcile was cut short in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orchestrator.api.types import ExperimentRunStatus, Phase, RunState
from orchestrator.core.failures import FAILURES
from orchestrator.core.model import AttemptKey, Event, Experiment, GradedRun, Judge, Outcome, RunKey, Verdict
from orchestrator.core.names import describe
from orchestrator.core.state import Run
from orchestrator.core.wording import show

_BAD_PHASES = frozenset({Phase.DEGRADED, Phase.FAILED})


def tell(
    experiment: Experiment, status: ExperimentRunStatus, judgements: Iterable[Judge], runs: Iterable[Run]
) -> Iterator[Event]:
    """The events that follow a status, in the order in which things happened."""
    yield from _runs_ended(experiment.status, runs, {judgement.key.run for judgement in judgements})
    if status.phase is not experiment.status.phase:
        yield _phase_changed(status)


def of_judgement(judgement: Judge) -> tuple[Event, ...]:
    """How an attempt ended, if something went wrong."""
    if judgement.outcome.reason is None:
        return ()
    return (_attempt_ended(judgement.key, judgement.outcome),)


def _attempt_ended(key: AttemptKey, outcome: Outcome) -> Event:
    follows = {
        Verdict.GRADE: "It is graded on what it left.",
        Verdict.RETRY: f"Attempt {key.attempt + 1} follows.",
        Verdict.FAIL: _what_to_do(outcome.reason),
    }
    message = f"{describe(key.run)}, attempt {key.attempt}: {outcome.message} {follows[outcome.verdict]}"
    return Event(outcome.reason or "Ended", show(message), is_warning=True)


def _runs_ended(old: ExperimentRunStatus, runs: Iterable[Run], judged: set[RunKey]) -> Iterator[Event]:
    """Runs that were shown as unfinished and are finished now. Those judged just now were told of already."""
    unfinished: Mapping[RunKey, RunState] = {
        RunKey(row.competition, row.seed): row.state for row in old.results if not row.state.is_finished
    }
    for run in runs:
        if not run.is_finished or run.key not in unfinished:
            continue
        if run.result is not None:
            yield _run_graded(run, run.result)
        elif run.key not in judged:
            message = f"{describe(run.key)}: {_meaning(run.reason)} {run.message} {_what_to_do(run.reason)}"
            yield Event(run.reason or "Failed", show(message), is_warning=True)


def _run_graded(run: Run, result: GradedRun) -> Event:
    if not result.valid:
        said = "" if run.message in FAILURES else run.message
        message = f"{describe(run.key)}: {_meaning(run.reason)} {said}"
        return Event(run.reason or "Failed", show(message), is_warning=True)
    score = "no score" if result.score is None else f"score {result.score:g}"
    medal = f", {result.medal} medal" if result.medal else ""
    return Event("Graded", f"{describe(run.key)}: {score}{medal}.")


def _phase_changed(status: ExperimentRunStatus) -> Event:
    told = next((condition.message for condition in status.conditions if condition.type == "Complete"), "")
    return Event(status.phase, told, is_warning=status.phase in _BAD_PHASES)


def _meaning(reason: str | None) -> str:
    return FAILURES[reason].meaning if reason is not None and reason in FAILURES else ""


def _what_to_do(reason: str | None) -> str:
    return FAILURES[reason].what_to_do if reason is not None and reason in FAILURES else ""
