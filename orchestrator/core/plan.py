"""What to do next about one experiment: the decisions of this package, put together.

Safe to stop after any action and start again: a judgement comes before what follows from it, names derive from what a
task is, and nothing is remembered here between two plans.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from orchestrator.core import events, status
from orchestrator.core.datasets import Dataset, Readiness, choose_prepares, look_at_datasets
from orchestrator.core.expand import expand
from orchestrator.core.expiry import choose_removals
from orchestrator.core.history import History, gather
from orchestrator.core.judge import judge_ended
from orchestrator.core.model import Action, CompetitionFacts, Experiment, Plan, Publish, RunKey, Seen, Start
from orchestrator.core.schedule import choose_attempts, choose_grades
from orchestrator.core.situation import PATIENCE, Situation
from orchestrator.core.state import Run, read_states
from orchestrator.core.stopping import choose_stops
from orchestrator.core.tries import choose_notes
from orchestrator.core.waiting import look_again_after


def decide(
    experiment: Experiment,
    seen: Seen,
    facts: Mapping[str, CompetitionFacts],
    now: datetime,
    *,
    patience: timedelta = PATIENCE,
) -> Plan:
    """The next actions, the status and the events of an experiment, from what was seen of it. No I/O."""
    situation = Situation(experiment, seen, now, patience)
    asked = expand(experiment.spec, facts)
    if asked.problems:
        refused = status.refuse(situation, asked.problems)
        return Plan((), refused, tuple(events.tell(experiment, refused, (), ())))

    histories = gather(asked.runs, experiment, seen)
    judgements = tuple(judge_ended(histories.values(), situation))
    for judgement in judgements:
        histories[judgement.key.run] = histories[judgement.key.run].judged(judgement.outcome)

    datasets = look_at_datasets(asked.competitions, histories.values(), situation)
    runs = tuple(read_states(histories.values(), datasets, situation))
    actions: tuple[Action, ...] = (
        *judgements,
        *choose_notes(situation),
        *choose_stops(histories.values(), situation),
        *_choose_starts(runs, histories, datasets, situation),
        *_choose_publish(runs, seen),
        *choose_removals(histories, situation),
    )
    described = status.describe(situation, runs, datasets, facts)
    return Plan(
        actions,
        described,
        tuple(events.tell(experiment, described, judgements, runs)),
        look_again_after(actions, runs, histories, datasets, situation),
    )


def _choose_starts(
    runs: Sequence[Run], histories: Mapping[RunKey, History], datasets: Mapping[str, Dataset], situation: Situation
) -> Iterator[Start]:
    """Only grading of what was collected once it is cancelled; nothing while it is suspended and was not."""
    if situation.spec.suspend and not situation.experiment.cancelled:
        return
    ready = frozenset(name for name, dataset in datasets.items() if dataset.readiness is Readiness.READY)
    yield from choose_grades(runs, ready, situation)
    if situation.experiment.cancelled:
        return
    needed = frozenset(run.key.competition for run in runs if not run.is_finished) if runs else frozenset(datasets)
    yield from choose_prepares(datasets, needed, situation)
    yield from choose_attempts(runs, histories, situation)


def _choose_publish(runs: Sequence[Run], seen: Seen) -> Iterator[Publish]:
    """The report is written when every run has ended, and again if a retry changes what it tells. An experiment that
    only prepares (seeds: 0) has none."""
    if not runs or not all(run.is_finished for run in runs):
        return
    digest = digest_of(runs)
    if not seen.report_is_published or seen.published_digest not in (None, digest):
        yield Publish(digest)


def digest_of(runs: Iterable[Run]) -> str:
    """Stands for the results of all runs: equal when they are."""
    rows = [[*run.key, run.state, run.attempt, run.reason, run.result and run.result.score] for run in runs]
    return sha256(json.dumps(rows).encode()).hexdigest()
