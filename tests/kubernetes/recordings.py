"""What a real cluster told of a Job and its pods, change by change (recorded by tests/cluster/test_endings.py)."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ENDINGS = Path(__file__).parent / "endings"

Object = dict[str, Any]


def heard(name: str) -> list[Object]:
    found: list[Object] = json.loads((ENDINGS / f"{name}.json").read_text())
    return found


def states(changes: Iterable[Object]) -> Iterator[tuple[Object, list[Object]]]:
    """The Job and its pods after each change, once there is a Job. Each change has a version, as on an API server."""
    job: Object | None = None
    pods: dict[str, Object] = {}
    for version, change in enumerate(changes):
        name, item = change["name"], change["object"]
        if item is not None:
            item["metadata"] |= {"uid": f"uid-of-{name}", "resourceVersion": str(version), "namespace": "agents"}
        if change["kind"] == "jobs":
            job = item or job
        elif item is None:
            pods.pop(name, None)
        else:
            pods[name] = item
        if job is not None:
            yield job, list(pods.values())


def time_of(job: Object) -> datetime:
    """A moment at which nothing has been waited for too long."""
    return datetime.fromisoformat(job["metadata"]["creationTimestamp"]) + timedelta(minutes=1)
