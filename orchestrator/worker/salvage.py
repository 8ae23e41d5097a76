"""What is left of an attempt that nobody had the time to collect: the copies of its submission that are in the store.

For an agent that filled its disk: the platform ends its pod at once, courier and all. The newest copy counts, as it
does for a courier that has no better proof. It becomes the attempt's submission, and a record says so, which leaves out
what only the courier knew.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.core.model import Outcome
from orchestrator.storage.layout import AttemptKeys
from orchestrator.storage.store import Store
from orchestrator.worker.collect import to_json

log = logging.getLogger("mlectl.grade")

EVICTED = "The agent's pod was evicted before anything could be collected."


def salvage(
    runs: Store, keys: AttemptKeys, outcome: Outcome, earlier: AttemptKeys | None, facts: Mapping[str, Any], draft: Path
) -> bytes:
    """Write the attempt's submission and its record, as the courier would have; the record.

    `earlier` is the attempt whose folders an agent that resumes had been given back. `draft` is a file to work with.
    """
    snapshots = [describe(runs, key) for key in runs.keys(f"{keys.prefix}/snapshots/")]
    snapshots.sort(key=lambda snapshot: snapshot["minutes"])
    source, note = newest(runs, keys, snapshots, earlier)
    submission = None
    if source is not None:
        runs.download(source, draft)
        runs.upload(keys.submission, draft)
        submission = {"bytes": draft.stat().st_size, "sha256": digest(runs, source), "problem": None}
    record = {
        **facts,
        "clock": {"consumed_seconds": outcome.consumed_seconds, **json.loads(runs.read(keys.clock) or b"{}")},
        "exit_code": None,
        "deadline_reached": False,
        "interrupted": True,
        "out_of_memory": False,
        "has_submission": submission is not None,
        "submission": submission,
        "snapshots": snapshots,
        "notes": [f"{EVICTED} {note}"],
    }
    log.info("%s %s", EVICTED, note)
    data = to_json(record)
    runs.write(keys.run, data)
    return data


def newest(
    runs: Store, keys: AttemptKeys, snapshots: list[dict[str, Any]], earlier: AttemptKeys | None
) -> tuple[str | None, str]:
    """The key of the copy that counts, and a sentence about it."""
    if snapshots:
        minutes = snapshots[-1]["minutes"]
        return keys.snapshot(minutes), f"The copy of minute {minutes:g} counts."
    if earlier is not None and runs.stat(earlier.submission) is not None:
        return earlier.submission, "There is no copy since it was resumed, so what it began with counts."
    return None, "There is no copy of a submission, so there is none."


def describe(runs: Store, key: str) -> dict[str, Any]:
    """A snapshot as a record lists it."""
    info = runs.stat(key)
    return {"minutes": float(key.split("/")[-2]), "sha256": digest(runs, key), "bytes": info.size if info else 0}


def digest(runs: Store, key: str) -> str:
    with runs.open(key) as stream:
        found = hashlib.sha256()
        while block := stream.read(1 << 20):
            found.update(block)
    return found.hexdigest()
