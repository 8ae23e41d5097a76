"""What workers leave in the stores, written by their own code where that can run without a container."""

from __future__ import annotations

import io
import json
import tarfile
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import catalog
from graders.report import Report
from graders.standing import is_above_median, medal_of, percent_beaten
from orchestrator.controller.stores import OpenStores
from orchestrator.storage import layout
from orchestrator.storage.layout import AttemptKeys, ExperimentKeys
from orchestrator.worker.desk import Desk, UrlRequest
from orchestrator.worker.journal import PAGES, Pages
from orchestrator.worker.orders import CourierOrder, GradeOrder, PrepareOrder
from orchestrator.worker.record import build_record
from orchestrator.worker.serving import Refusal


def leave_dataset(stores: OpenStores, order: PrepareOrder) -> None:
    """As a preparer: both manifests, which are written last."""
    for store, prefix in (
        (stores.public, layout.dataset_prefix(order.version, order.competition)),
        (stores.private, layout.answers_prefix(order.version, order.competition)),
    ):
        store.write(f"{prefix}/{layout.MANIFEST}", b"{}")


def keys_of(order: CourierOrder) -> AttemptKeys:
    experiment = order.facts["experiment"]
    keys = ExperimentKeys(experiment["namespace"], experiment["name"], experiment["uid"])
    return keys.attempt(order.competition, order.seed, order.attempt)


def claim(stores: OpenStores, order: CourierOrder, pod_uid: str) -> bool:
    """As the desk when a courier asks for its URLs: whether this pod has the attempt."""
    request = UrlRequest(role="courier", pod=sha256(pod_uid.encode()).hexdigest()[:32])
    try:
        Desk(stores.public, stores.runs, timedelta(hours=1)).check_pod(keys_of(order), request)
    except Refusal:
        return False
    return True


def leave_clock(stores: OpenStores, order: CourierOrder, seconds: float, *, stopped: bool = False) -> dict[str, object]:
    """As a courier while the agent runs: the run's consumed seconds so far."""
    now = datetime.now(UTC)
    clock: dict[str, object] = {
        "consumed_seconds": order.consumed_seconds + min(seconds, order.budget_seconds),
        "earlier_seconds": order.consumed_seconds,
        "budget_seconds": order.budget_seconds,
        "written_at": now.isoformat(),
        "started_at": (now - timedelta(seconds=seconds)).isoformat(),
        "unsaved_since": now.isoformat(),
        "staged_bytes": 1 << 20,
        **({"stopped_at": now.isoformat()} if stopped else {}),
    }
    stores.runs.write(keys_of(order).clock, json.dumps(clock).encode())
    return clock


def leave_everything(
    stores: OpenStores,
    order: CourierOrder,
    seconds: float,
    *,
    submission: bytes | None = b"id,y\n1,0\n",
    interrupted: bool = False,
    exit_code: int = 0,
    out_of_memory: bool = False,
) -> None:
    """As a courier when the agent has ended: submission, code, logs, the clock, and run.json last."""
    keys = keys_of(order)
    described = None
    if submission is not None:
        stores.runs.write(keys.submission, submission)
        digest = sha256(submission).hexdigest()
        described = {"sha256": digest, "bytes": len(submission), "problem": None, "is_torn": False}
    for name in (keys.code, keys.logs):
        stores.runs.write(name, empty_tar())
    stores.runs.write(keys.agent_log, b"played\n")
    clock = leave_clock(stores, order, seconds, stopped=True)
    pages = Pages(
        interrupted=interrupted,
        deadline_reached=seconds >= order.budget_seconds,
        ended={"exit_code": [str(exit_code)], "oom_kills_after": [str(int(out_of_memory))]},
    )
    facts = {
        **order.facts,
        "competition": order.competition,
        "seed": order.seed,
        "attempt": order.attempt,
        "benchmark": order.version,
    }
    record = build_record(facts, PAGES.dump_python(pages, mode="json"), clock, described)
    stores.runs.write(keys.run, json.dumps(record).encode())


def leave_report(stores: OpenStores, order: GradeOrder, score: float | None = None) -> bool:
    """As a grader: the run's report, unless it is there; one of an earlier attempt is replaced. Whether it was new."""
    experiment = ExperimentKeys.of_prefix(order.experiment)
    key = experiment.run_report(order.competition, order.seed)
    earlier = stores.runs.read(key)
    if earlier is not None and json.loads(earlier)["attempt"] >= order.attempt:
        return False
    record = json.loads(stores.runs.read(experiment.attempt(order.competition, order.seed, order.attempt).run) or b"{}")
    submission = record["submission"]
    report = report_of(order, score_of(order.competition, score) if submission else None)
    content = report.as_data() | {
        "seed": order.seed,
        "attempt": order.attempt,
        "submission_sha256": submission and submission["sha256"],
        "snapshots": [],
    }
    document = json.dumps(content).encode()
    if earlier is not None:
        stores.runs.write(key, document)
        return True
    return stores.runs.write_new(key, document)


def score_of(competition: str, score: float | None) -> float:
    """By default just enough for bronze."""
    return catalog.load(competition).medals.bronze if score is None else score


def report_of(order: GradeOrder, score: float | None) -> Report:
    facts = catalog.load(order.competition)
    low, lines = facts.lower_is_better, facts.medals
    return Report(
        competition_id=order.competition,
        score=score,
        valid=score is not None,
        medal=None if score is None else medal_of(score, lines, lower_is_better=low),
        above_median=score is not None and is_above_median(score, lines, lower_is_better=low),
        gold_threshold=lines.gold,
        silver_threshold=lines.silver,
        bronze_threshold=lines.bronze,
        median_threshold=lines.median,
        lower_is_better=low,
        submission_exists=score is not None,
        submission_path="submission.csv",
        created_at=datetime.now(UTC),
        version=order.version,
        reason=None if score is not None else "Nothing was submitted: there is no file submission.csv.",
        percentile=None if score is None else percent_beaten(score, facts.percentiles, lower_is_better=low),
    )


def empty_tar() -> bytes:
    target = io.BytesIO()
    tarfile.open(fileobj=target, mode="w").close()
    return target.getvalue()
