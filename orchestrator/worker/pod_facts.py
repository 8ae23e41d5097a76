"""What the workers of a pod know of it and of each other, for run.json: kept where the agent can't write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from orchestrator.worker.control import STAGED

PROOF = "probe.json"
"""What the probe saw before the clock started."""
NODE_VARIABLE, POD_VARIABLE = "MLECTL_NODE", "MLECTL_POD"


def pod_facts(private: Path) -> dict[str, Any]:
    """What belongs in the record of an attempt that ran in this pod."""
    proof = read(private / PROOF)
    return {
        "isolation": "pod",
        "network_enforced": bool(proof),
        "network_proof": proof or None,
        "dataset_digest": read(private / STAGED).get("dataset_digest"),
        "node": os.environ.get(NODE_VARIABLE),
        "pod": os.environ.get(POD_VARIABLE),
    }


def read(file: Path) -> dict[str, Any]:
    """A worker's word; empty if it left none."""
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found
