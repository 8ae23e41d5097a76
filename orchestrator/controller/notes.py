"""notes.json: what a controller has read of an experiment and what never changes, in one object.

A controller that starts anew would read thousands of small objects; with the notes it reads one. They are a copy and
nobody depends on them: without them, or if they can't be read, everything is read from where it is.

A run is settled in them if its last attempt was judged and graded. It stays so, whatever happened since they were
written, unless a person asked for another attempt of it; so of settled runs nothing more is read, and of the others,
of those that somebody asks for and of those with a task of a later attempt, everything is.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from orchestrator.controller.memory import Memory
from orchestrator.core.model import AttemptKey, GradedRun, Outcome, RunKey, Verdict

log = logging.getLogger("mlectl.controller")

WORTH = 100
"""So many new facts are worth writing the notes again while an experiment goes on."""


@dataclass(frozen=True)
class Notes:
    """Outcomes by attempt and reports by run; keys are lists in JSON, so they are pairs here."""

    outcomes: tuple[tuple[AttemptKey, Outcome], ...] = ()
    reports: tuple[tuple[RunKey, GradedRun], ...] = ()


NOTES = TypeAdapter(Notes)


def write_notes(memory: Memory) -> bytes:
    return NOTES.dump_json(Notes(tuple(memory.outcomes.items()), tuple(memory.reports.items())))


def read_notes(data: bytes | None) -> Memory:
    """A memory of what the notes say."""
    if data is None:
        return Memory()
    try:
        notes = NOTES.validate_json(data)
    except ValidationError:
        log.warning("notes.json can't be read and is left alone: everything is read anew")
        return Memory()
    outcomes = dict(notes.outcomes)
    return Memory(attempts=set(outcomes), outcomes=outcomes, reports=dict(notes.reports))


def settled(memory: Memory) -> set[RunKey]:
    """Runs whose last attempt, as far as is known, was judged and graded."""
    found = set()
    for run, number in memory.newest().items():
        outcome, report = memory.outcomes.get(run.attempt(number)), memory.reports.get(run)
        is_graded = outcome is not None and outcome.verdict is Verdict.GRADE
        if is_graded and report is not None and report.attempt == number:
            found.add(run)
    return found


def are_worth_writing(memory: Memory, *, is_finished: bool) -> bool:
    new = memory.facts - memory.noted
    return new >= (1 if is_finished else WORTH)
