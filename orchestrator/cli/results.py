"""The result of an experiment as its runs store tells it: what the result commands begin with."""

from __future__ import annotations

from orchestrator.api.types import ExperimentRun, ResultRow
from orchestrator.cli.place import Found, keys_of
from orchestrator.report.collect import collect
from orchestrator.report.result import ExperimentResult
from orchestrator.storage.store import Store


def collect_result(store: Store, run: ExperimentRun) -> ExperimentResult:
    """What the store tells of an experiment now, finished or not."""
    return collect(store, keys_of(run), told=run.status.results)


def result_of(found: Found) -> ExperimentResult:
    """The same, with the store of its place."""
    return collect_result(found.place.store(found.run), found.run)


def all_rows(found: Found) -> list[ResultRow]:
    """Every run's row: the status has them, and the store where there are more than a status holds."""
    status = found.run.status
    if len(status.results) >= status.runs.total:
        return list(status.results)
    shared = set(ResultRow.model_fields)
    return [ResultRow.model_validate(row.model_dump(include=shared)) for row in result_of(found).rows]
