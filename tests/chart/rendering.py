"""The chart as helm renders it. The helm is the rig's own; where it was not built, tests that need it are left out."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm.values import CHART
from tests.cluster.rig import programs

HELM = next((path for path in [programs.folder_of("helm") / "helm"] if path.exists()), None)
needs_helm = pytest.mark.skipif(HELM is None, reason="helm is not built; run: make cluster-build")

NAMESPACE = "mlectl-system"
STORE = {"endpoint": "https://s3.example", "controllerSecret": "writes", "graderSecret": "reads"}
IMAGE = {"repository": "registry.example/mlectl/orchestrator"}
BUNDLED = {"bundled": {"enabled": True}}
READY_MADE = sorted((CHART / "values").glob("*.yaml"))

Object = dict[str, Any]


class Refused(Exception):
    """What helm said instead of rendering."""


def helm(*argv: str | Path, values: Mapping[str, Any]) -> str:
    """What it prints, with an image that is there unless `values` name another."""
    assert HELM
    given = json.dumps({**values, "image": IMAGE | values.get("image", {})})
    done = subprocess.run([HELM, *argv, "--values=-"], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(done.stdout + done.stderr)
    return done.stdout


def template(values: Mapping[str, Any], *files: Path) -> str:
    """What would be applied. Keys that are made at random are replaced by one that is always the same."""
    more = [f"--values={file}" for file in files]
    text = helm("template", "mlectl", CHART, f"--namespace={NAMESPACE}", *more, values=values)
    for made in re.findall(r"(?:AWS_SECRET_ACCESS_KEY|^  key): \"?(\w+={0,2})\"?$", text, re.MULTILINE):
        text = text.replace(made, "made/at/random++")
    return text


def render(*files: Path, **values: Any) -> list[Object]:
    """The objects, with a store that is there unless `store` says otherwise."""
    return [item for item in yaml.safe_load_all(template({"store": STORE, **values}, *files)) if item]


def only(items: Iterable[Object], kind: str, name: str) -> Object:
    (found,) = (item for item in items if item["kind"] == kind and item["metadata"]["name"] == name)
    return found


def names(items: Iterable[Object], kind: str) -> set[str]:
    return {item["metadata"]["name"] for item in items if item["kind"] == kind}


def pods(items: Iterable[Object]) -> dict[str, Object]:
    """The spec of every pod that the chart starts, by the kind and name of what starts it."""
    found = {}
    for item in items:
        name = f"{item['kind']} {item['metadata']['name']}"
        if item["kind"] == "Pod":
            found[name] = item["spec"]
        elif item["kind"] in ("Deployment", "StatefulSet", "Job"):
            found[name] = item["spec"]["template"]["spec"]
    return found
