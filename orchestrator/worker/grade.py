"""Grades the submission of one attempt, and its snapshots, and writes the run's report. An attempt is graded once.

The submission must be the one that the courier recorded: its digest is compared. If an agent filled its disk and
nothing was collected, what counts is found in the store (`salvage.py`). A submission's faults are in the report;
whatever else goes wrong leaves no report, and the run can be graded again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import shutil
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

import orchestrator
from orchestrator.core.failures import Reason
from orchestrator.core.model import Outcome
from orchestrator.storage.dataset import DatasetError, DatasetSource, stage
from orchestrator.storage.layout import MANIFEST, AttemptKeys, ExperimentKeys, answers_prefix
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.judging import Judge, NotJudged
from orchestrator.worker.orders import GradeOrder
from orchestrator.worker.salvage import salvage
from orchestrator.worker.submission import NAME

log = logging.getLogger("mlectl.grade")

OUTCOME = TypeAdapter(Outcome)
LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy")


def main(order: GradeOrder) -> int:
    with Judge(order.memory_bytes, order.time_limit_seconds) as judge:
        return grade_run(order, judge)


def grade_run(order: GradeOrder, judge: Judge) -> int:
    """Write the run's report, unless it is there; one of an earlier attempt is replaced."""
    runs = open_store(order.stores.runs)
    experiment = ExperimentKeys.of_prefix(order.experiment)
    report_key = experiment.run_report(order.competition, order.seed)
    earlier = runs.read(report_key)
    if earlier is not None and json.loads(earlier)["attempt"] >= order.attempt:
        log.info("%s is there already", report_key)
        return ExitCode.DONE
    order.scratch.mkdir(parents=True, exist_ok=True)
    keys = experiment.attempt(order.competition, order.seed, order.attempt)
    report = Grading(order, runs, keys, judge).report()
    document = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False).encode()
    if earlier is None:
        runs.write_new(report_key, document)
    else:
        runs.write(report_key, document)  # of an attempt before this one, which somebody asked for
    log.info("%s: score %s, medal %s", report_key, report["score"], report["medal"])
    shutil.rmtree(order.scratch, ignore_errors=True)
    return ExitCode.DONE


@dataclass(frozen=True)
class Grading:
    """The grading of one attempt."""

    order: GradeOrder
    runs: Store
    keys: AttemptKeys
    judge: Judge

    def report(self) -> dict[str, Any]:
        """The final submission's report, with what it takes to check it, and a line for each snapshot."""
        record = self.record()
        submission: dict[str, Any] | None = record["submission"]
        answers = self.stage_answers()
        try:
            report = self.grade(self.fetch(submission), answers)
        except NotJudged as error:
            raise WorkerFailure(Reason.GRADER_ERROR, f"{self.keys.submission} was not graded: {error}") from error
        if submission is not None and submission["problem"]:
            report |= {"submission_exists": True, "reason": submission["problem"]}
        return report | {
            "seed": self.order.seed,
            "attempt": self.order.attempt,
            "submission_path": f"{self.runs.url}/{self.keys.submission}",
            "submission_sha256": submission and submission["sha256"],
            "snapshots": self.grade_snapshots(record, report, answers),
            "graded_by": graded_by(),
        }

    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.runs.read(self.keys.run) or self.salvaged())
        return record

    def salvaged(self) -> bytes:
        """The record of an attempt that could not be collected, by the agent's own doing."""
        data = self.runs.read(self.keys.outcome)
        outcome = None if data is None else OUTCOME.validate_json(data)
        if outcome is None or outcome.reason != Reason.DISK_FULL:
            raise WorkerFailure(
                Reason.FILES_LOST, f"There is no {self.keys.run} in {self.runs.url}, so the attempt was not collected."
            )
        order = self.order
        experiment = ExperimentKeys.of_prefix(order.experiment)
        earlier = None if outcome.saved is None else experiment.attempt(order.competition, order.seed, outcome.saved)
        facts = {
            "competition": order.competition,
            "seed": order.seed,
            "attempt": order.attempt,
            "benchmark": order.version,
        }
        return salvage(self.runs, self.keys, outcome, earlier, facts, order.scratch / "salvaged.csv")

    def stage_answers(self) -> Path:
        private = open_store(self.order.stores.private)
        prefix = answers_prefix(self.order.version, self.order.competition)
        target = self.order.scratch / "answers"
        if private.stat(f"{prefix}/{MANIFEST}") is None:
            raise WorkerFailure(
                Reason.GRADER_ERROR,
                f"There are no answers at {prefix} in {private.url}; prepare the competition again.",
            )
        try:
            stage(DatasetSource.from_store(private, prefix), target)
        except DatasetError as error:
            raise WorkerFailure(Reason.GRADER_ERROR, f"The answers can't be used: {error}") from error
        return target

    def fetch(self, submission: dict[str, Any] | None) -> Path:
        """The submission's file; a path to nothing if none was collected."""
        target = self.order.scratch / "final" / NAME
        target.parent.mkdir(exist_ok=True)
        if submission is not None and submission["sha256"] is not None:
            self.fetch_checked(self.keys.submission, submission["sha256"], target)
        return target

    def fetch_checked(self, key: str, sha256: str, target: Path) -> None:
        self.runs.download(key, target)
        with target.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != sha256:
            raise WorkerFailure(
                Reason.GRADER_ERROR,
                f"{key} in {self.runs.url} is not what the courier recorded, so it was not graded: "
                f"its SHA-256 is {found}, expected {sha256}.",
            )

    def grade(self, submission: Path, answers: Path) -> dict[str, Any]:
        return self.judge.grade(self.order.competition, self.order.version, submission, answers)

    def grade_snapshots(self, record: dict[str, Any], final: dict[str, Any], answers: Path) -> list[dict[str, Any]]:
        if not self.order.grade_snapshots:
            return []
        final_digest = (record["submission"] or {}).get("sha256")
        rows = []
        for snapshot in record["snapshots"]:
            is_final = snapshot["sha256"] == final_digest
            report = final if is_final else self.grade_snapshot(snapshot, answers)
            verdict = {name: report[name] for name in ("score", "medal", "valid", "reason")}
            rows.append({"minutes": snapshot["minutes"], **verdict})
        return rows

    def grade_snapshot(self, snapshot: dict[str, Any], answers: Path) -> dict[str, Any]:
        """A snapshot that can't be graded costs its own line and nothing else."""
        target = self.order.scratch / "snapshot" / NAME
        target.parent.mkdir(exist_ok=True)
        self.fetch_checked(self.keys.snapshot(snapshot["minutes"]), snapshot["sha256"], target)
        try:
            return self.grade(target, answers)
        except NotJudged as error:
            log.warning("the snapshot of minute %g was not graded: %s", snapshot["minutes"], error)
            return {"score": None, "medal": None, "valid": None, "reason": f"It was not graded: {error}"}


def graded_by() -> dict[str, str]:
    """What a score depends on besides the files."""
    return {
        "mlectl": orchestrator.__version__,
        "python": platform.python_version(),
        **{name: version_of(name) for name in LIBRARIES},
    }
