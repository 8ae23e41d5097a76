"""How pods live: they find a node, and then prepare a dataset, run an agent or grade what one left."""

from __future__ import annotations

from random import Random

from orchestrator.core.failures import Reason
from orchestrator.core.model import AttemptKey, AttemptRecord, Ending, GradedRun, Role, TaskPhase
from tests.core.simulator.agents import script_of
from tests.core.simulator.attempt import Attempt
from tests.core.simulator.cluster import Pod
from tests.core.simulator.engine import Interrupted, Life
from tests.core.simulator.scenario import HOUR, Trouble
from tests.core.simulator.surroundings import Surroundings

BROKEN_COMPETITION = "competition-0"
"""The one whose dataset or grader is broken, where one is."""

_BEFORE_THE_START = {
    Trouble.STAGING: Ending.STAGING,
    Trouble.NOT_ISOLATED: Ending.NOT_ISOLATED,
}


def live(around: Surroundings, pod: Pod) -> Life:
    """The whole life of a pod. One that is interrupted before it has begun to matter just ends."""
    lives = {Role.AGENT: _run_agent, Role.GRADE: _grade, Role.PREPARE: _prepare}
    try:
        yield around.chance.uniform(1, 90)
        pod.node = around.chance.choice([node for node in around.nodes if node.is_up and node.is_reachable])
        pod.change(TaskPhase.STAGING)
        yield from lives[pod.start.role](around, pod)
    except Interrupted:
        pod.end(143, pod.doom)


def _run_agent(around: Surroundings, pod: Pod) -> Life:
    yield around.chance.uniform(5, 120)
    for trouble, ending in _BEFORE_THE_START.items():
        if around.happens(trouble, 0.25):
            pod.end(1, ending)
            return
    if not around.reaches_store(pod):
        pod.end(1, Ending.STAGING)
        return
    if around.happens(Trouble.IMAGE_PULL, 0.25):
        yield from _be_stuck(pod)
    key = _attempt_of(pod, pod.start.attempt)
    if pod.was_taken_back and (key in around.store.clocks or key in around.store.outcomes):
        pod.end(1, Ending.STAGING, "this attempt has begun in another pod")
        return
    yield from Attempt(around, pod, key).live()


def _be_stuck(pod: Pod) -> Life:
    """The pod tries for ever, and holds its node until somebody ends it."""
    pod.change(TaskPhase.STAGING, ending=Ending.IMAGE_PULL)
    while True:
        yield HOUR


def _prepare(around: Surroundings, pod: Pod) -> Life:
    pod.change(TaskPhase.RUNNING)
    yield around.chance.uniform(30, 1200)
    missing = around.scenario.has(Trouble.DATASET_MISSING) and pod.start.competition == BROKEN_COMPETITION
    if missing or around.happens(Trouble.PREPARE_FAILS, 0.4) or not around.reaches_store(pod):
        pod.end(1, message="the raw files can't be fetched", try_again=not missing or around.chance.random() < 0.5)
        return
    around.store.prepared.add(pod.start.competition)
    yield 1.0
    pod.end(0)


def _grade(around: Surroundings, pod: Pod) -> Life:
    key = _attempt_of(pod, pod.start.grades_attempt)
    pod.change(TaskPhase.RUNNING)
    yield around.chance.uniform(5, 300)
    broken = around.scenario.has(Trouble.GRADER_FAILS) and pod.start.competition == BROKEN_COMPETITION
    if broken or not around.reaches_store(pod):
        pod.end(1, message="the grader broke", try_again=not broken or around.chance.random() < 0.5)
        return
    record = around.store.records.get(key) or _salvaged(around, key)
    if record is None:
        around.journal.complain("graded once", f"{key} is graded, but there is nothing to grade")
        pod.end(1)
        return
    around.store.reports[key.run] = _report(around, key, record)
    around.journal.graded[key.run].append(key.attempt)
    yield 1.0
    pod.end(0)


def _salvaged(around: Surroundings, key: AttemptKey) -> AttemptRecord | None:
    """What the copies in the store tell of an agent that filled its disk."""
    outcome = around.store.outcomes[key]
    if outcome.reason != Reason.DISK_FULL:
        return None
    work = 0.0 if outcome.saved is None else around.store.saved[key.run.attempt(outcome.saved)]
    return AttemptRecord(
        exit_code=None,
        deadline_reached=False,
        interrupted=True,
        has_submission=work >= script_of(around.scenario, key).submits_after,
        consumed_seconds=outcome.consumed_seconds,
    )


def _report(around: Surroundings, key: AttemptKey, record: AttemptRecord) -> GradedRun:
    rejected = Random(f"{around.scenario.chance}/{key.run}/rejected").random() < 0.2
    valid = record.has_submission and not rejected
    return GradedRun(
        attempt=key.attempt,
        score=0.5 if valid else None,
        medal="bronze" if valid else None,
        valid=valid,
        above_median=valid,
        submitted=record.has_submission,
    )


def _attempt_of(pod: Pod, attempt: int | None) -> AttemptKey:
    assert pod.start.seed is not None
    assert attempt is not None
    return AttemptKey(pod.start.competition, pod.start.seed, attempt)
