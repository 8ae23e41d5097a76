"""What an agent left, into the store: the submission that counts, code, logs, the clock, and run.json last.

run.json's presence means that everything is there. Files stay here until the store has them, however long that takes.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from orchestrator.worker.clock import Clock
from orchestrator.worker.files import open_plain
from orchestrator.worker.folders import open_folder, pack_folder
from orchestrator.worker.journal import Journal
from orchestrator.worker.limits import AGENT_LOG_BYTES, CODE_BYTES, GIB, LOGS_BYTES
from orchestrator.worker.orders import CourierOrder
from orchestrator.worker.pod_facts import pod_facts
from orchestrator.worker.record import build_record
from orchestrator.worker.submission import NAME, copy_submission
from orchestrator.worker.uploads import Uploads

log = logging.getLogger("mlectl.courier")

AGENT_LOG = "agent.log"


@dataclass(frozen=True)
class Collected:
    """What the record says of the files that were sent."""

    submission: dict[str, Any] | None
    left_out: dict[str, dict[str, int]]


def send_files(order: CourierOrder, journal: Journal, uploads: Uploads, scratch: Path) -> Collected:
    """Everything but the clock and the record; safe to be killed anywhere and called again."""
    submission = settle_submission(order, journal, scratch)
    if submission is not None and submission["sha256"] is not None:
        uploads.put(NAME, scratch / "final.csv")
    left_out: dict[str, dict[str, int]] = {}
    for name, folder, most in (("code", order.code, CODE_BYTES), ("logs", order.logs, LOGS_BYTES)):
        tar = scratch / f"{name}.tar"
        packed = pack_folder(folder, tar, most)
        uploads.put(tar.name, tar)
        tar.unlink()
        left_out[name] = packed.left_out
        note_size(journal, name, packed.left_out.get("too_large", 0), most)
    uploads.put(f"logs/{AGENT_LOG}", end_of_log(order.logs))
    return Collected(submission, left_out)


def send_record(
    order: CourierOrder, clock: Clock, journal: Journal, uploads: Uploads, staged: dict[str, Any], files: Collected
) -> None:
    """The clock, which has stopped, and run.json."""
    times = clock.published() | staged
    uploads.put("clock.json", to_json(times))
    facts = {
        **({} if order.private is None else pod_facts(order.private)),
        **order.facts,
        "competition": order.competition,
        "seed": order.seed,
        "attempt": order.attempt,
        "benchmark": order.version,
        "left_out": files.left_out,
    }
    uploads.put("run.json", to_json(build_record(facts, journal.dump(), times, files.submission)))


def note_size(journal: Journal, name: str, count: int, most_bytes: int) -> None:
    """Say in the record what did not fit; once, however often we are started again."""
    note = (
        f"{count:,} of the largest files of {name} are not in {name}.tar, which holds {most_bytes / GIB:g} GiB at most."
    )
    with journal.change() as pages:
        if count and note not in pages.notes:
            pages.notes.append(note)


def settle_submission(order: CourierOrder, journal: Journal, scratch: Path) -> dict[str, Any] | None:
    """The submission that counts, in our own `final.csv`: the frozen one if there is one, else what is there now."""
    final = scratch / "final.csv"
    with journal.change() as pages:
        if not pages.is_frozen:
            pages.frozen = copy_submission(order.submission, final)
            pages.is_frozen = True
        copied = pages.frozen
    return None if copied is None else asdict(copied)


def end_of_log(logs: Path) -> bytes:
    """The agent's output, at most its end."""
    with open_folder(logs) as folder:
        file = None if folder is None else open_plain(AGENT_LOG, folder)
    if file is None:
        return b""
    with os.fdopen(file, "rb") as stream:
        left_out = os.fstat(file).st_size - AGENT_LOG_BYTES
        if left_out <= 0:
            return stream.read(AGENT_LOG_BYTES)
        stream.seek(left_out)
        return f"[{left_out:,} bytes of output before this are left out]\n".encode() + stream.read(AGENT_LOG_BYTES)


def to_json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, indent=1, ensure_ascii=False).encode(errors="replace")
