"""The result of an experiment, by the name or the file that a person gives: what the result commands begin with."""

from __future__ import annotations

from pathlib import Path

from orchestrator.api.types import ExperimentRun, ResultRow
from orchestrator.cli.experiments import find_experiment
from orchestrator.cluster.local.home import Home
from orchestrator.report.collect import collect
from orchestrator.report.reportjson import from_json
from orchestrator.report.result import ExperimentResult
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.open import open_store


def find_result(home: Home, name: str) -> ExperimentResult:
    """The result of an experiment of this home as it stands now, or the one in a report.json."""
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        return from_json(path.read_bytes(), str(path))
    return collect_result(home, find_experiment(home, name))


def collect_result(home: Home, run: ExperimentRun) -> ExperimentResult:
    """What the store tells of an experiment now, finished or not."""
    return collect(open_store(home.stores.runs), keys_of(run), told=run.status.results)


def keys_of(run: ExperimentRun) -> ExperimentKeys:
    """Where the experiment's objects are."""
    return ExperimentKeys(run.metadata.namespace, run.metadata.name, run.metadata.uid)


def all_rows(home: Home, run: ExperimentRun) -> list[ResultRow]:
    """Every run's row: the status has them, and the store where there are more than a status holds."""
    if len(run.status.results) >= run.status.runs.total:
        return list(run.status.results)
    shared = set(ResultRow.model_fields)
    rows = collect_result(home, run).rows
    return [ResultRow.model_validate(row.model_dump(include=shared)) for row in rows]
