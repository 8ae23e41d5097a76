"""record.json: all run records of an experiment with its report, and the digest of every file that they speak of.

It is an in-toto statement, ready to be signed: the subjects are the files by their SHA-256, the predicate says what was
run and what came out. A file's name is its key below the experiment's prefix, so that whoever holds the store can
recompute each digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import orchestrator
from orchestrator.report.result import ExperimentResult, RunRow
from orchestrator.report.traces import READERS
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://mlectl.dev/record/v1"


def build_record(runs: Store, keys: ExperimentKeys, result: ExperimentResult, report: bytes) -> bytes:
    """The statement about a result, whose report.json is (or is about to be) these bytes."""
    rows = [row for row in result.rows if row.counts]
    with ThreadPoolExecutor(READERS) as pool:
        recorded = list(pool.map(lambda row: _record_run(runs, keys, row), rows))
    subjects = {"spec.yaml": _digest(runs.read(keys.spec)), "report.json": _digest(report)}
    for run in recorded:
        subjects |= run["digests"]
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects.items() if digest],
        "predicateType": PREDICATE,
        "predicate": {
            "experiment": {"namespace": keys.namespace, "name": keys.name, "uid": keys.uid},
            "mlectl": orchestrator.__version__,
            "report": result.model_dump(mode="json", by_alias=True),
            "runs": recorded,
        },
    }
    return json.dumps(statement, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"


def _record_run(runs: Store, keys: ExperimentKeys, row: RunRow) -> dict[str, Any]:
    attempt = keys.attempt(row.competition, row.seed, row.attempt)
    record, outcome = runs.read(attempt.run), runs.read(attempt.outcome)
    digests = {
        attempt.run: _digest(record),
        attempt.outcome: _digest(outcome),
        keys.run_report(row.competition, row.seed): _digest(runs.read(keys.run_report(row.competition, row.seed))),
        attempt.submission: row.submission_sha256 if row.submitted else None,
    }
    return {
        "competition": row.competition,
        "seed": row.seed,
        "attempt": row.attempt,
        "record": json.loads(record) if record else None,
        "outcome": json.loads(outcome) if outcome else None,
        "digests": dict(_named(digests, keys)),
    }


def _named(digests: dict[str, str | None], keys: ExperimentKeys) -> Iterator[tuple[str, str]]:
    for key, digest in digests.items():
        if digest is not None:
            yield key.removeprefix(f"{keys.prefix}/"), digest


def _digest(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()
