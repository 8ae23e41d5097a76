"""`mlectl export`: an experiment as the reference harness would have left it, for tools that read that.

    <timestamp>_run-group_<agent>-seed-<k>/          a run group for each seed: a grading report is one seed
        metadata.json                                the group and its runs
        submission.jsonl                             what `mlectl grade --submission` reads
        grading_report.json                          what grading them gave
        <competition>_<run id>/submission/submission.csv, code/, logs/

Only runs that have a result are in it. What an agent left is unpacked as from a stranger.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator.report.collect import collect
from orchestrator.report.reportjson import grading_reports
from orchestrator.report.result import ExperimentResult, RunRow
from orchestrator.report.unpack import unpack
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store


class ExportError(Exception):
    """The experiment can't be exported there; the message says what to do. Nothing was overwritten."""


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    groups: tuple[Path, ...]
    runs: int
    left_out: tuple[str, ...] = ()
    """What could not be taken along, each with its run and why."""


def export(runs: Store, keys: ExperimentKeys, target: Path) -> Exported:
    """Write a run group for each seed into a folder; a group that is there already is refused, not replaced."""
    result = collect(runs, keys)
    by_seed = {seed: [row for row in result.rows if row.counts and row.seed == seed] for seed in range(result.seeds)}
    groups = {seed: target.absolute() / _group_name(result, seed) for seed, rows in by_seed.items() if rows}
    if not groups:
        raise ExportError(f"{result.name} has no run with a result yet, so there is nothing to export.")
    for path in groups.values():
        if path.exists():
            raise ExportError(f"{path} is there already; export into another folder, or remove it first.")
    left_out = []
    for seed, path in groups.items():
        left_out += [
            note for row in by_seed[seed] for note in _export_run(runs, keys, row, path / _run_name(result, row))
        ]
        _describe_group(result, seed, by_seed[seed], path)
    return Exported(tuple(groups.values()), sum(map(len, by_seed.values())), tuple(left_out))


def _group_name(result: ExperimentResult, seed: int) -> str:
    agent = re.sub(r"[^A-Za-z0-9._-]+", "-", result.ran.agent)
    return f"{_timestamp(result)}_run-group_{agent}-seed-{seed}"


def _timestamp(result: ExperimentResult) -> str:
    """When the first agent started, in the reference's form; exporting twice gives the same name."""
    if result.ran.started_at is None:
        return "unknown-time"
    return datetime.fromisoformat(result.ran.started_at).astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%S-GMT")


def _run_name(result: ExperimentResult, row: RunRow) -> str:
    return f"{row.competition}_{result.uid[:8]}-seed-{row.seed}-attempt-{row.attempt}"


def _export_run(runs: Store, keys: ExperimentKeys, row: RunRow, folder: Path) -> list[str]:
    attempt = keys.attempt(row.competition, row.seed, row.attempt)
    submission = folder / "submission" / "submission.csv"
    submission.parent.mkdir(parents=True)
    if runs.stat(attempt.submission):
        runs.download(attempt.submission, submission)
    notes = []
    for key, name in ((attempt.code, "code"), (attempt.logs, "logs")):
        if runs.stat(key) is None:
            (folder / name).mkdir()
            continue
        with runs.open(key) as stream:
            notes += [f"{folder.name}/{name}/{note}" for note in unpack(stream, folder / name)]
    if runs.stat(attempt.agent_log) and not (folder / "logs" / "agent.log").exists():
        runs.download(attempt.agent_log, folder / "logs" / "agent.log")
    return notes


def _describe_group(result: ExperimentResult, seed: int, rows: Sequence[RunRow], group: Path) -> None:
    names = {_run_name(result, row): row for row in rows}
    metadata = {
        "run_group": group.name,
        "created_at": result.ran.started_at,
        "agent_id": result.ran.agent,
        "seed": seed,
        "experiment": {"namespace": result.namespace, "name": result.name, "uid": result.uid},
        "benchmark": result.ran.benchmark,
        "unprotected": result.unprotected,
        "departures": list(result.departures),
        "runs": {name: _describe_run(row) for name, row in names.items()},
    }
    entries = [
        {"competition_id": row.competition, "submission_path": str(group / name / "submission" / "submission.csv")}
        for name, row in names.items()
    ]
    _write(group / "metadata.json", json.dumps(metadata, indent=2))
    _write(group / "submission.jsonl", "\n".join(json.dumps(entry) for entry in entries))
    _write(group / "grading_report.json", json.dumps(grading_reports(result)[seed], indent=2, allow_nan=False))


def _describe_run(row: RunRow) -> dict[str, Any]:
    return {
        "competition_id": row.competition,
        "seed": row.seed,
        "attempt": row.attempt,
        "consumed_seconds": row.consumed_seconds,
        "score": row.score,
        "medal": row.medal,
        "submission_sha256": row.submission_sha256,
    }


def _write(path: Path, text: str) -> None:
    path.write_text(f"{text}\n", encoding="utf-8")
