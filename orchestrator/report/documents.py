"""What reports read of the JSON documents that a run leaves: its report, its record, its clock, its outcome.

Read leniently, because the workers that wrote them may be older or newer; what is missing is left out of the report,
and what contradicts the type of a field is refused with the document's key.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from orchestrator.core.model import Outcome
from orchestrator.report.grading import HasLines
from orchestrator.report.result import Medal, Piece, Snapshot


class CollectError(Exception):
    """The store does not hold what a report needs; the message names the key and says what to do."""


class RunReport(HasLines):
    """reports/<competition>/seed-<k>.json: the verdict on a run."""

    attempt: int
    score: float | None
    medal: Medal | None
    above_median: bool
    submission_exists: bool
    valid_submission: bool
    percentile: float | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    submission_sha256: str | None = None
    created_at: str | None = None


class ClockRecord(Piece):
    """clock.json: the courier's clock."""

    consumed_seconds: float = Field(ge=0)
    started_at: str | None = None
    stopped_at: str | None = None


class Validations(Piece):
    asked: int = 0


class Hardware(Piece):
    """What the agent's container saw; None where it could not tell."""

    cpus: int | None = None
    memory_limit_bytes: int | None = None
    memory_bytes: int | None = None
    gpus: tuple[str, ...] = ()

    def __str__(self) -> str:
        memory = min((size for size in (self.memory_limit_bytes, self.memory_bytes) if size), default=None)
        parts = [
            f"{self.cpus} CPU" if self.cpus == 1 else f"{self.cpus or 'unknown'} CPUs",
            f"{memory / 2**30:.0f} GiB of memory" if memory else "unknown memory",
            ", ".join(self.gpus) or "no GPU",
        ]
        return ", ".join(parts)


class RunRecord(Piece):
    """run.json: what an attempt had and how it ended."""

    clock: ClockRecord | None = None
    image: str | None = None
    image_digest: str | None = None
    command: tuple[str, ...] | None = None
    mlectl: str | None = None
    hardware: Hardware | None = None
    network: str | None = None
    network_enforced: bool | None = None
    isolation: str | None = None
    dataset_digest: str | None = None
    departures: tuple[str, ...] = ()
    validations: Validations | None = None
    models: tuple[str, ...] = ()
    cost_usd: float | None = None


OUTCOME = TypeAdapter(Outcome)
T = TypeVar("T", RunReport, RunRecord, ClockRecord)


def parse(kind: type[T], key: str, data: bytes) -> T:
    """The document, or a sentence about why it is none."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        raise _unreadable(key, error) from error


def parse_outcome(key: str, data: bytes) -> Outcome:
    try:
        return OUTCOME.validate_json(data)
    except ValidationError as error:
        raise _unreadable(key, error) from error


def _unreadable(key: str, error: ValidationError) -> CollectError:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"])) or "the document"
    return CollectError(f"{key} can't be read: {where}: {first['msg'].lower()}. Retry that run, or remove the object.")
