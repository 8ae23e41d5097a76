"""Builders for tests of Jobs and pods."""

from dataclasses import replace
from typing import Any

from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.core.model import Experiment, Role, RunKey, Start
from orchestrator.core.names import agent_task, grade_task, prepare_task
from tests.core.build import experiment as core_experiment

UID = "0f6f0d9e-7d25-4c1c-9d61-6f0c6d1c0a11"
TOKEN = "mlv1.ticket.signature"


def settings(**fields: Any) -> Settings:
    written = {
        "namespace": "mlectl-system",
        "image": "registry.example/mlectl:1",
        "stores": {"public": "s3://public", "private": "s3://private", "runs": "s3://runs"},
        "validation": {"url": "http://validation.mlectl-system.svc:8080", "secretFile": "/etc/mlectl/key"},
        **fields,
    }
    return Settings.model_validate(written)


def experiment(**fields: Any) -> Experiment:
    """Of one competition, birds; fields are named as in YAML."""
    places = {name: fields.pop(name) for name in ("namespace", "name") if name in fields}
    return replace(core_experiment(**fields), uid=UID, **places)


def agent_start(attempt: int = 1, **fields: Any) -> Start:
    key = RunKey("birds", 0).attempt(attempt)
    return Start(agent_task(UID, key), Role.AGENT, *key, **{"budget_seconds": 86_400.0, **fields})


def prepare_start(attempt: int = 1, **fields: Any) -> Start:
    name = prepare_task("v1", "birds", attempt)
    return Start(name, Role.PREPARE, "birds", attempt=attempt, version="v1", asked_by=UID, **fields)


def grade_start(attempt: int = 1) -> Start:
    key = RunKey("birds", 0).attempt(2)
    return Start(grade_task(UID, key, attempt), Role.GRADE, "birds", 0, attempt, grades_attempt=2)
