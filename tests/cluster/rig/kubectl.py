"""kubectl, as an instance's administrator."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from tests.cluster.rig import programs
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import Instance

Object = dict[str, Any]


def kubectl(rig: Instance, *argv: str, input: str | None = None) -> str:
    """What the command prints; a failure is a RigError with its words."""
    done = subprocess.run(
        [programs.find("kubectl"), f"--kubeconfig={rig.kubeconfig}", *argv],
        input=input,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RigError(f"kubectl {' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout


def apply(rig: Instance, objects: Sequence[Object]) -> None:
    """Server-side apply, so that it may be repeated."""
    wanted = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    kubectl(rig, "apply", "--server-side", "--force-conflicts", "-f", "-", input=wanted)


def items(rig: Instance, kind: str) -> list[Object]:
    """All objects of a kind, in all namespaces."""
    listing = json.loads(kubectl(rig, "get", kind, "--all-namespaces", "--output=json"))
    found: list[Object] = listing["items"]
    return found
