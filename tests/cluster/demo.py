"""ExperimentRuns of demo competitions for the true node: small amounts, seconds of budget."""

from __future__ import annotations

from typing import Any

from tests.cluster.images.made import Images

Object = dict[str, Any]


def spec(images: Images, script: str, **more: Any) -> Object:
    """Two competitions, two seeds, an agent that is a Python script."""
    return {
        "competitions": {"ids": ["demo-digits", "demo-wine"]},
        "seeds": 2,
        "agent": {"name": "script", "image": images.baseline, "command": ["python3", "-c", script]},
        "budget": {"wallClock": "60s"},
        "snapshots": {"every": "20s"},
        "resources": {"cpu": "300m", "memory": "512Mi", "gpu": {"count": 0}, "storage": "512Mi"},
        "network": {"mode": "none"},
        **more,
    }


def experiment(namespace: str, name: str, body: Object) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "mlectl.dev/v1alpha1", "kind": "ExperimentRun", "metadata": metadata, "spec": body}
