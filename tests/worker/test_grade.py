"""Grading of collected attempts, with the demo competition's real grader and answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders import Report
from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.grade import grade_run
from orchestrator.worker.judging import Judge
from orchestrator.worker.orders import GradeOrder, Stores
from orchestrator.worker.record import read_record
from tests.worker.orders import carry_out

KEYS = ExperimentKeys("default", "try-it", "0123abcd-rest")
ATTEMPT = KEYS.attempt("demo-wine", 0, 2)
REPORT = KEYS.run_report("demo-wine", 0)


@dataclass(frozen=True)
class Run:
    """A run whose second attempt was collected."""

    order: GradeOrder
    store: Store
    judge: Judge
    folder: Path

    def collect(
        self, submission: bytes | None, *, problem: str | None = None, snapshots: dict[float, bytes] | None = None
    ) -> None:
        """What a courier leaves."""
        rows = []
        for minutes, data in (snapshots or {}).items():
            self.store.write(ATTEMPT.snapshot(minutes), data)
            rows.append({"minutes": minutes, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})
        found: dict[str, Any] | None = None
        if submission is not None or problem is not None:
            found = {"sha256": None, "problem": problem, "bytes": 0}
        if submission is not None and found is not None:
            found["sha256"] = hashlib.sha256(submission).hexdigest()
            self.store.write(ATTEMPT.submission, submission)
        self.store.write(ATTEMPT.run, json.dumps({"submission": found, "snapshots": rows}).encode())

    def fill_disk(
        self, *, snapshots: dict[float, bytes] | None = None, saved: int | None = None, reason: str = "DiskFull"
    ) -> None:
        """What is there if the pod was evicted and judged for that."""
        for minutes, data in (snapshots or {}).items():
            self.store.write(ATTEMPT.snapshot(minutes), data)
        outcome = {"verdict": "grade", "reason": reason, "consumed_seconds": 7300.0, "saved": saved}
        self.store.write(ATTEMPT.outcome, json.dumps(outcome).encode())

    def grade(self, **changes: Any) -> dict[str, Any]:
        """The report that grading leaves."""
        assert grade_run(self.order.model_copy(update=changes), self.judge) == 0
        return self.report()

    def fail(self, **changes: Any) -> WorkerFailure:
        """How grading fails; it must not leave a report."""
        with pytest.raises(WorkerFailure) as caught:
            grade_run(self.order.model_copy(update=changes), self.judge)
        assert self.store.read(REPORT) is None
        return caught.value

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.store.read(REPORT) or b"null")
        return found


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(memory_bytes=1 << 30) as one:
        yield one


@pytest.fixture
def run(prepared: Stores, judge: Judge, tmp_path: Path) -> Run:
    stores = prepared.model_copy(update={"runs": (tmp_path / "runs").as_uri()})
    order = GradeOrder(
        competition="demo-wine",
        seed=0,
        attempt=2,
        version="v1",
        stores=stores,
        experiment=KEYS.prefix,
        scratch=tmp_path / "scratch",
    )
    return Run(order, open_store(stores.runs), judge, tmp_path)


@pytest.fixture(scope="session")
def perfect(prepared: Stores, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The answers, handed in."""
    target = tmp_path_factory.mktemp("answers")
    stage(DatasetSource.from_store(open_store(prepared.private), "answers/v1/demo-wine"), target)
    return (target / "answers.csv").read_bytes()


def test_a_report_has_the_score_and_what_it_takes_to_check_it(run: Run, perfect: bytes) -> None:
    run.collect(perfect)
    done = carry_out("grade", run.order, run.folder / "orders")
    assert done.code == 0, done.stderr
    report = run.report()
    assert (report["medal"], report["valid_submission"], report["score"]) == ("gold", True, 0.0)
    assert (report["seed"], report["attempt"], report["snapshots"]) == (0, 2, [])
    assert report["submission_sha256"] == hashlib.sha256(perfect).hexdigest()
    assert report["submission_path"].endswith(ATTEMPT.submission)
    assert set(report["graded_by"]) == {"mlectl", "python", "numpy", "pandas", "scikit-learn", "scipy"}
    assert Report.from_data(report).gold_medal


def test_a_run_is_never_graded_twice(run: Run, perfect: bytes) -> None:
    run.collect(perfect)
    first = run.grade()
    run.collect(b"something else")
    assert run.grade() == first


def test_a_rejected_submission_is_a_report_with_the_reason(run: Run) -> None:
    run.collect(b"id,colour\n1,red\n")
    report = run.grade()
    assert (report["submission_exists"], report["valid_submission"], report["score"]) == (True, False, None)
    assert report["rejection"]["reason"] == "MissingColumns"


def test_no_submission_is_a_report_too(run: Run) -> None:
    run.collect(None)
    report = run.grade()
    assert (report["submission_exists"], report["valid_submission"], report["submission_sha256"]) == (
        False,
        False,
        None,
    )
    assert report["reason"]


def test_a_submission_that_could_not_be_taken_is_reported_with_the_courier_s_words(run: Run) -> None:
    run.collect(None, problem="submission.csv is a link; only a plain file is taken.")
    report = run.grade()
    assert (report["submission_exists"], report["valid_submission"]) == (True, False)
    assert report["reason"] == "submission.csv is a link; only a plain file is taken."


def test_snapshots_are_graded_into_a_line_each(run: Run, perfect: bytes) -> None:
    run.collect(perfect, snapshots={60: b"id\n", 120: perfect})
    first, second = run.grade()["snapshots"]
    assert (first["minutes"], first["valid"], first["score"]) == (60, False, None)
    assert (second["minutes"], second["valid"], second["medal"]) == (120, True, "gold")


def test_snapshots_are_left_alone_where_nobody_wants_them(run: Run, perfect: bytes) -> None:
    run.collect(perfect, snapshots={60: perfect})
    assert run.grade(grade_snapshots=False)["snapshots"] == []


def test_a_submission_that_somebody_replaced_is_not_graded(run: Run, perfect: bytes) -> None:
    run.collect(b"id\n")
    run.store.write(ATTEMPT.submission, perfect)
    failure = run.fail()
    assert failure.reason == "GraderError"
    assert "SHA-256" in failure.message


def test_an_attempt_that_was_not_collected_is_not_graded(run: Run) -> None:
    assert run.fail().reason == "FilesLost"


def test_of_an_agent_that_filled_its_disk_the_newest_copy_counts(run: Run, perfect: bytes) -> None:
    run.fill_disk(snapshots={30: b"id\n", 120: perfect, 60: b"id,x\n"})
    report = run.grade()
    assert (report["medal"], report["submission_sha256"]) == ("gold", hashlib.sha256(perfect).hexdigest())
    assert [(row["minutes"], row["valid"]) for row in report["snapshots"]] == [(30, False), (60, False), (120, True)]
    assert run.store.read(ATTEMPT.submission) == perfect
    record = json.loads(run.store.read(ATTEMPT.run) or b"null")
    assert "The copy of minute 120 counts." in record["notes"][0]
    assert (record["competition"], record["attempt"], record["clock"]) == ("demo-wine", 2, {"consumed_seconds": 7300.0})
    assert read_record(run.store.read(ATTEMPT.run) or b"").has_submission


def test_an_agent_that_filled_its_disk_before_there_was_a_copy_has_no_submission(run: Run) -> None:
    run.fill_disk()
    report = run.grade()
    assert (report["submission_exists"], report["valid_submission"]) == (False, False)
    assert "There is no copy" in json.loads(run.store.read(ATTEMPT.run) or b"null")["notes"][0]


def test_one_that_had_gone_on_from_an_earlier_attempt_has_what_it_began_with(run: Run, perfect: bytes) -> None:
    run.store.write(KEYS.attempt("demo-wine", 0, 1).submission, perfect)
    run.fill_disk(saved=1)
    assert run.grade()["medal"] == "gold"
    assert run.store.read(ATTEMPT.submission) == perfect


def test_what_was_collected_before_the_disk_was_full_counts(run: Run, perfect: bytes) -> None:
    run.fill_disk(snapshots={60: b"id\n"})
    run.collect(perfect)
    assert run.grade()["medal"] == "gold"


def test_an_attempt_that_was_lost_otherwise_is_not_graded_by_its_copies(run: Run, perfect: bytes) -> None:
    run.fill_disk(snapshots={60: perfect}, reason="FilesLost")
    assert run.fail().reason == "FilesLost"


def test_missing_answers_are_no_verdict(run: Run, perfect: bytes, tmp_path: Path) -> None:
    run.collect(perfect)
    stores = run.order.stores.model_copy(update={"private": (tmp_path / "empty").as_uri()})
    assert run.fail(stores=stores).reason == "GraderError"


def test_too_little_memory_is_no_verdict_and_is_told_as_a_failure(run: Run) -> None:
    rows = "".join(f"wine_{number},1,0,0\n" for number in range(1_000_000))
    run.collect(f"id,cultivar_1,cultivar_2,cultivar_3\n{rows}".encode())
    done = carry_out("grade", run.order.model_copy(update={"memory_bytes": 16 << 20}), run.folder / "orders")
    assert (done.code, done.failure["reason"]) == (1, "GraderError")
    assert "memory" in done.failure["message"]
    assert run.store.read(REPORT) is None


def test_too_little_time_is_no_verdict(run: Run, perfect: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    run.collect(perfect)
    monkeypatch.setattr(run.judge, "seconds", 0.0)
    assert "seconds" in run.fail().message
