"""Builders: an ExperimentRun that is sound, of which a test changes what it is about."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

Change = dict[str, Any]

SOUND: dict[str, Any] = {
    "apiVersion": "mlectl.dev/v1alpha1",
    "kind": "ExperimentRun",
    "metadata": {"name": "aide-lite"},
    "spec": {"competitions": {"split": "lite"}, "agent": {"name": "aide", "image": "registry.example/aide:1.2"}},
}


@pytest.fixture
def written() -> Callable[..., dict[str, Any]]:
    """`written(seeds=2)`: a sound ExperimentRun as a mapping, with keys of its spec replaced."""

    def build(**spec: Any) -> dict[str, Any]:
        mapping = copy.deepcopy(SOUND)
        mapping["spec"].update(spec)
        return mapping

    return build


@pytest.fixture
def as_yaml(written: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """The same as YAML."""
    return lambda **spec: yaml.safe_dump(written(**spec), sort_keys=False)
