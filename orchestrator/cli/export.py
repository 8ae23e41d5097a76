"""Writes an experiment out as the reference harness lays out its runs, so that its tools can read it.

DIR/run_group_experiments.csv                 experiment_id,run_group
DIR/<timestamp>_run-group_<name>-seed-<k>/    a run group a seed
    metadata.json
    submission.jsonl                          what the reference's grader takes
    grading_report.json                       the same as this project graded it
    <competition>_<run id>/submission/submission.csv, code/, logs/
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from orchestrator.report.reportjson import grading_reports
from orchestrator.report.result import ExperimentResult, RunRow
from orchestrator.storage.layout import AttemptKeys, ExperimentKeys
from orchestrator.storage.store import Store
from orchestrator.worker.folders import unpack_folder

TABLE = "run_group_experiments.csv"
Told = Callable[[str], None]


def export(
    result: ExperimentResult, runs: Store, folder: Path, created_at: datetime, tell: Told = lambda word: None
) -> list[Path]:
    """Write every run that has an attempt; the folders of the run groups. The folder must be new or empty."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = ExperimentKeys(result.namespace, result.name, result.uid)
    reports = {report["seed"]: report for report in grading_reports(result)}
    groups = []
    for seed in range(result.seeds):
        group = folder / f"{created_at:%Y-%m-%dT%H-%M-%S}-GMT_run-group_{result.name}-seed-{seed}"
        rows = [row for row in result.rows if row.seed == seed and row.attempt]
        _write_group(group, rows, reports[seed], keys, runs, created_at, tell)
        groups.append(group)
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["experiment_id", "run_group"])
        writer.writerows([result.name, group.name] for group in groups)
    return groups


def run_folder(row: RunRow, uid: str) -> str:
    """The name of a run's folder: its competition and an id that no other run has."""
    return f"{row.competition}_{uid[:8]}-seed-{row.seed}"


def _write_group(
    group: Path,
    rows: Sequence[RunRow],
    report: dict[str, Any],
    keys: ExperimentKeys,
    runs: Store,
    created_at: datetime,
    tell: Told,
) -> None:
    group.mkdir(parents=True)
    entries = []
    for row in rows:
        folder = group / run_folder(row, keys.uid)
        has_submission = _write_run(folder, keys.attempt(row.competition, row.seed, row.attempt), runs)
        path = f"{group.name}/{folder.name}/submission/submission.csv" if has_submission else None
        entries.append({"competition_id": row.competition, "submission_path": path})
        tell(row.competition)
    by_competition = {entry["competition_id"]: entry["submission_path"] for entry in entries}
    competition_reports = [
        {**one, "submission_path": by_competition.get(one["competition_id"])} for one in report["competition_reports"]
    ]
    _write_json(group / "grading_report.json", {**report, "competition_reports": competition_reports})
    (group / "submission.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    states = {run_folder(row, keys.uid): {"success": row.counts, "state": row.state} for row in rows}
    metadata = {"run_group": group.name, "created_at": created_at.isoformat(), "runs": states}
    _write_json(group / "metadata.json", metadata)


def _write_run(folder: Path, keys: AttemptKeys, runs: Store) -> bool:
    """The three folders of a run; whether there is a submission in the first."""
    for name in ("submission", "code", "logs"):
        (folder / name).mkdir(parents=True)
    for key, name in ((keys.code, "code"), (keys.logs, "logs")):
        if runs.stat(key) is not None:
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                runs.download(key, Path(scratch) / "folder.tar")
                unpack_folder(Path(scratch) / "folder.tar", folder / name)
    if runs.stat(keys.submission) is None:
        return False
    runs.download(keys.submission, folder / "submission" / "submission.csv")
    return True


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n", encoding="utf-8")
