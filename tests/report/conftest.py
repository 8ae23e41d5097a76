"""Experiments to report on, written into a real file store as the workers and the controller leave them."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

import catalog
from graders.report import Report
from graders.standing import is_above_median, medal_of, percent_beaten
from orchestrator.api.types import ExperimentRun
from orchestrator.core.model import Outcome, Verdict
from orchestrator.report.collect import collect
from orchestrator.report.result import ExperimentResult
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.layout import ExperimentKeys

OUTCOME = TypeAdapter(Outcome)
UID = "3f1c9f6e-0000-4000-8000-000000000001"
WHEN = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def spec_of(competitions: dict[str, Any], seeds: int, **more: Any) -> dict[str, Any]:
    agent = {"name": "aide", "image": "registry.example/aide:1.2"}
    return {"competitions": competitions, "seeds": seeds, "agent": agent} | more


@dataclass
class Lab:
    """An experiment in a store. Runs that nobody writes are still pending."""

    store: FileStore
    keys: ExperimentKeys
    seeds: int
    benchmark: str = "v1"
    facts: dict[str, Any] = field(default_factory=dict)
    """What every run records, unless it is told otherwise."""

    def graded(
        self,
        competition: str,
        seed: int,
        score: float | None,
        *,
        attempt: int = 1,
        snapshots: Sequence[tuple[float, float | None]] = (),
        reason: str | None = None,
        outcome: Outcome | None = None,
        warnings: tuple[str, ...] = (),
        minutes: float = 1440.0,
        **facts: Any,
    ) -> None:
        """A run with a valid submission, or with `score=None` one that was rejected for a `reason`."""
        report = self.report(competition, score, reason=reason or "Submission rejected: it has no column id.")
        self.write_report(competition, seed, attempt, report, snapshots=snapshots, warnings=warnings)
        self.record(competition, seed, attempt, minutes=minutes, **facts)
        self.judge(competition, seed, attempt, outcome or Outcome(Verdict.GRADE, consumed_seconds=minutes * 60))

    def empty(self, competition: str, seed: int, *, reason: str = "NoSubmission", attempt: int = 1) -> None:
        """A run whose agent left no submission."""
        nothing = "Nothing was submitted: there is no file submission.csv."
        report = self.report(competition, None, reason=nothing, exists=False)
        self.write_report(competition, seed, attempt, report)
        self.record(competition, seed, attempt)
        self.judge(competition, seed, attempt, Outcome(Verdict.GRADE, reason, "The agent left no submission.csv."))

    def lost(
        self, competition: str, seed: int, *, reason: str = "NodeLost", attempt: int = 1, last: bool = True
    ) -> None:
        """An attempt that ended through no fault of the agent; the `last` one leaves the run without a result."""
        verdict = Verdict.FAIL if last else Verdict.RETRY
        self.judge(competition, seed, attempt, Outcome(verdict, reason, "Node gpu-7 was not heard of for 10 minutes."))

    def report(self, competition: str, score: float | None, *, reason: str = "", exists: bool = True) -> Report:
        facts = catalog.load(competition)
        low, lines = facts.lower_is_better, facts.medals
        has = score is not None
        return Report(
            competition_id=competition,
            score=score,
            valid=has,
            medal=medal_of(score, lines, lower_is_better=low) if score is not None else None,
            above_median=is_above_median(score, lines, lower_is_better=low) if score is not None else False,
            gold_threshold=lines.gold,
            silver_threshold=lines.silver,
            bronze_threshold=lines.bronze,
            median_threshold=lines.median,
            lower_is_better=low,
            submission_exists=exists,
            submission_path="submission.csv",
            created_at=WHEN,
            version=self.benchmark,
            reason=None if has else reason,
            percentile=percent_beaten(score, facts.percentiles, lower_is_better=low) if score is not None else None,
        )

    def write_report(
        self,
        competition: str,
        seed: int,
        attempt: int,
        report: Report,
        *,
        snapshots: Sequence[tuple[float, float | None]] = (),
        warnings: tuple[str, ...] = (),
        **changes: Any,
    ) -> None:
        graded = [(minutes, self.report(competition, score)) for minutes, score in snapshots]
        content = report.as_data() | {
            "seed": seed,
            "attempt": attempt,
            "warnings": list(warnings),
            "submission_sha256": sha256(f"{competition} {seed}".encode()).hexdigest(),
            "snapshots": [
                {"minutes": minutes, "score": one.score, "medal": one.medal, "valid": one.valid, "reason": one.reason}
                for minutes, one in graded
            ],
        }
        self.write(self.keys.run_report(competition, seed), content | changes)

    def record(self, competition: str, seed: int, attempt: int = 1, *, minutes: float = 1440.0, **facts: Any) -> None:
        """run.json, as the courier writes it."""
        content = {
            "image": "registry.example/aide:1.2",
            "command": ["bash", "/home/agent/start.sh"],
            "benchmark": self.benchmark,
            "mlectl": "0.1.0",
            "network": "restricted",
            "network_enforced": True,
            "isolation": "pod",
            "dataset_digest": f"sha256:{sha256(competition.encode()).hexdigest()}",
            "departures": [],
            "clock": {
                "consumed_seconds": minutes * 60,
                "started_at": "2026-05-04T00:00:00+00:00",
                "stopped_at": "2026-05-05T00:00:00+00:00",
            },
            "exit_code": 0,
            "deadline_reached": False,
            "interrupted": False,
            "has_submission": True,
            "validations": {"asked": 4, "valid": 3, "invalid": 1, "refused": 0},
            "hardware": {"cpus": 36, "memory_limit_bytes": 440 * 2**30, "memory_bytes": 2**40, "gpus": ["NVIDIA A10"]},
        }
        self.write(self.keys.attempt(competition, seed, attempt).run, content | self.facts | facts)

    def judge(self, competition: str, seed: int, attempt: int, outcome: Outcome) -> None:
        self.put(self.keys.attempt(competition, seed, attempt).outcome, OUTCOME.dump_json(outcome))

    def submission(self, competition: str, seed: int, text: str = "id,label\n1,0\n", *, attempt: int = 1) -> None:
        self.put(self.keys.attempt(competition, seed, attempt).submission, text.encode())

    def folder(self, key: str, files: dict[str, bytes]) -> None:
        """A tar of plain files."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        self.put(key, buffer.getvalue())

    def play(self, competitions: Sequence[str], skill: float, random: Random) -> None:
        """A whole experiment: every run ends somewhere on its leaderboard, and gets there in steps."""
        for competition in competitions:
            ladder = catalog.load(competition).percentiles
            ease = min(0.98, max(0.02, random.gauss(skill, 0.25)))
            for seed in range(self.seeds):
                place = min(0.99, max(0.0, random.gauss(1 - ease, 0.06)))
                climb = [min(1.0, place + (1 - place) * 0.6 ** (step + 1)) for step in range(8)]
                steps = [(60.0 + 150 * step, ladder[round(100 * at)]) for step, at in enumerate(climb)]
                self.graded(competition, seed, ladder[round(100 * place)], snapshots=steps)

    def write(self, key: str, content: object) -> None:
        self.put(key, json.dumps(content).encode())

    def put(self, key: str, data: bytes) -> None:
        """As the store would, but without waiting for the disk: a builder writes thousands of objects."""
        path = self.store.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def result(self, **more: Any) -> ExperimentResult:
        return collect(self.store, self.keys, **more)


LabMaker = Callable[..., Lab]


@pytest.fixture
def make_lab(tmp_path: Path) -> LabMaker:
    """Makes experiments in one store: `make_lab({"split": "low"}, seeds=3)`."""

    def make(
        competitions: dict[str, Any] | None = None,
        *,
        name: str = "aide-lite",
        seeds: int = 3,
        uid: str = UID,
        **spec: Any,
    ) -> Lab:
        keys = ExperimentKeys("default", name, uid)
        store = FileStore(tmp_path / "runs")
        experiment = ExperimentRun.model_validate(
            {"metadata": {"name": name, "uid": uid}, "spec": spec_of(competitions or {"split": "low"}, seeds, **spec)}
        )
        store.write(keys.spec, yaml.safe_dump(experiment.to_dict()).encode())
        return Lab(store, keys, seeds, benchmark=experiment.spec.benchmark)

    return make


@pytest.fixture
def low_lab(make_lab: LabMaker) -> Lab:
    """A whole experiment on the low split, three seeds, with some things gone wrong."""
    lab = make_lab({"split": "low"}, seeds=3)
    ids = catalog.ids("low")
    lab.play(ids, 0.75, Random(7))
    lab.graded(ids[0], 0, None, reason="Submission rejected: 2 of 3,325 ids are not in this competition.")
    lab.empty(ids[1], 1, reason="DeadlineWithoutSubmission")
    lab.lost(ids[2], 2, attempt=1, last=False)
    lab.graded(ids[2], 2, catalog.load(ids[2]).medals.gold, attempt=2)
    return lab
