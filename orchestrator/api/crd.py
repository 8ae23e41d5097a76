"""The CustomResourceDefinition of ExperimentRun: schema, rules, columns of `kubectl get`."""

from __future__ import annotations

from typing import Any

from orchestrator.api.changes import FIXED, key_of, refusal
from orchestrator.api.limits import in_words
from orchestrator.api.schema import Schema, spec_schema, status_schema
from orchestrator.api.spec import ExperimentRunSpec
from orchestrator.api.types import GROUP, KIND, VERSION, ExperimentRun
from orchestrator.api.values import LABEL_HINT

PLURAL = "experimentruns"

_COLUMNS = (
    ("Phase", "string", ".status.phase", "How far the experiment is."),
    ("Graded", "string", ".status.progress", "Runs that are graded, of all runs."),
    ("Any medal %", "string", ".status.anyMedal", "Mean and standard error over complete seeds."),
    ("Age", "date", ".metadata.creationTimestamp", "Time since it was created."),
)


def custom_resource_definition() -> dict[str, Any]:
    """The object to `kubectl apply` before the first ExperimentRun."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": "experimentrun",
                "shortNames": ["exp"],
                "categories": ["mlectl"],
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        {"name": name, "type": kind, "jsonPath": path, "description": description}
                        for name, kind, path, description in _COLUMNS
                    ],
                    "schema": {"openAPIV3Schema": _schema()},
                }
            ],
        },
    }


def _schema() -> Schema:
    return {
        "description": ExperimentRun.__doc__,
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": in_words(spec_schema()),
            "status": status_schema(),
        },
        "x-kubernetes-validations": [
            {
                "rule": "size(self.metadata.name) <= 63 && !self.metadata.name.contains('.')",
                "message": f"metadata.name: write {LABEL_HINT}",
            },
            *({"rule": _is_unchanged(name), "message": refusal(name)} for name in FIXED),
        ],
    }


def _is_unchanged(name: str) -> str:
    """CEL: the experiment has not started, or this part of its spec is as it was."""
    now, before = f"self.spec.{key_of(name)}", f"oldSelf.spec.{key_of(name)}"
    same = f"{now} == {before}"
    info = ExperimentRunSpec.model_fields[name]
    if not info.is_required() and info.default is None:
        same = f"has({now}) == has({before}) && (!has({now}) || {same})"
    return f"!has(oldSelf.status) || !has(oldSelf.status.startedAt) || ({same})"
