import pytest

from orchestrator.api.changes import FIXED, refused_changes
from orchestrator.api.crd import custom_resource_definition
from orchestrator.api.types import ExperimentRun
from tests.api.cel import evaluate

CHANGES = {
    "benchmark": "v2",
    "competitions": {"split": "all"},
    "seeds": 4,
    "agent": {"name": "other", "image": "x"},
    "models": {"allow": ["gpt-x"]},
    "budget": {"wallClock": "1h"},
    "resources": {"cpu": "2"},
    "placement": {"queue": "gpu"},
    "parallelism": 1,
    "retries": {"agent": 1},
    "snapshots": {"grade": False},
    "network": {"mode": "none"},
    "suspend": True,
    "ttlAfterFinished": "1h",
}
ALLOWED = {"parallelism", "suspend", "ttlAfterFinished"}


def run(mapping, status=None):
    written = ExperimentRun.model_validate(mapping).to_dict()
    written["status"] = status or {}
    return written


def refused_by_rules(now, before):
    schema = custom_resource_definition()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    rules = schema["x-kubernetes-validations"]
    return [rule["message"] for rule in rules if not evaluate(rule["rule"], now, before)]


@pytest.mark.parametrize("key", CHANGES)
def test_a_started_experiment_keeps_its_spec_but_for_three_fields(written, key):
    before, now = run(written(), {"startedAt": "2026-01-01T00:00:00Z"}), run(written(**{key: CHANGES[key]}))
    specs = [ExperimentRun.model_validate({**mapping, "status": {}}).spec for mapping in (before, now)]
    by_rules, by_python = refused_by_rules(now, before), refused_changes(*specs)
    assert by_rules == by_python
    assert len(by_python) == (0 if key in ALLOWED else 1)
    assert all(message.startswith(f"spec.{key} cannot change") for message in by_python)


@pytest.mark.parametrize("key", CHANGES)
def test_before_it_starts_everything_may_change(written, key):
    assert refused_by_rules(run(written(**{key: CHANGES[key]})), run(written())) == []


def test_models_may_not_be_taken_away_either(written):
    before = run(written(models={"allow": ["gpt-x"]}), {"startedAt": "2026-01-01T00:00:00Z"})
    (message,) = refused_by_rules(run(written()), before)
    assert message.startswith("spec.models")


def test_every_field_of_the_spec_is_in_this_table():
    assert len(FIXED) + len(ALLOWED) == len(CHANGES)


@pytest.mark.parametrize("name, fine", [("aide-lite", True), ("a" * 63, True), ("a" * 64, False), ("a.b", False)])
def test_a_name_that_cannot_be_a_label_is_refused(written, name, fine):
    mapping = run(written())
    mapping["metadata"]["name"] = name
    assert (refused_by_rules(mapping, run(written())) == []) == fine
