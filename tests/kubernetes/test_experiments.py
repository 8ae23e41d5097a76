"""ExperimentRuns of an API server in the form that decisions are made on."""

import copy
from datetime import UTC, datetime

import pytest

from orchestrator.cluster.experiments import SpecRefused
from orchestrator.cluster.kubernetes.experiments import ExperimentReader
from orchestrator.cluster.kubernetes.merging import merge_patch
from orchestrator.core.model import RunKey
from tests.api.conftest import SOUND

SYSTEM = "mlectl-system"


def stored(annotations=None, **spec):
    item = copy.deepcopy(SOUND)
    item["metadata"] |= {
        "namespace": "team",
        "uid": "0f6f0d9e",
        "generation": 2,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "annotations": annotations or {},
    }
    item["spec"] |= spec
    return item


def read(item):
    return ExperimentReader(SYSTEM, has_gateway=False).read(item)


def test_what_people_ask_for_is_in_annotations():
    asked = {
        "mlectl.dev/cancelled": "true",
        "mlectl.dev/retry": '{"birds/0": 2, "a/b/11": 1}',
        "mlectl.dev/retry-at": "2026-01-02T00:00:00+00:00",
    }
    experiment = read(stored(asked))
    assert experiment.cancelled
    assert experiment.retry_after == {RunKey("birds", 0): 2, RunKey("a/b", 11): 1}
    assert experiment.retry_asked_at == datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("written", ["[]", "{", '{"birds": 1}', '{"birds/x": 1}', '{"birds/0": null}', "7"])
def test_a_wish_that_cannot_be_read_is_no_wish(written):
    experiment = read(stored({"mlectl.dev/retry": written, "mlectl.dev/retry-at": "yesterday"}))
    assert (experiment.retry_after, experiment.retry_asked_at) == ({}, None)


def test_a_spec_is_parsed_once_a_generation():
    reader = ExperimentReader(SYSTEM, has_gateway=False)
    item = stored()
    assert reader.read(item).spec is reader.read(item).spec
    changed = stored(parallelism=7)
    changed["metadata"]["generation"] = 3
    assert reader.read(changed).spec.parallelism == 7


def test_a_spec_that_this_version_cannot_read_is_refused_in_words():
    """As one written by a newer version would be."""
    with pytest.raises(SpecRefused) as refused:
        read(stored(telepathy=True, seeds=-1))
    told = " ".join(refused.value.problems)
    assert "spec.telepathy" in told
    assert "spec.seeds" in told
    assert refused.value.experiment.uid == "0f6f0d9e"


def test_models_are_refused_where_no_gateway_would_bring_them():
    item = stored(models={"allow": ["gpt-x"]})
    with pytest.raises(SpecRefused, match=r"spec\.models: this installation has no model gateway"):
        read(item)
    assert ExperimentReader(SYSTEM, has_gateway=True).read(item).spec.models


def test_none_is_served_beside_the_controller_whatever_its_spec_says():
    for item in (stored(), stored(telepathy=True)):
        item["metadata"]["namespace"] = SYSTEM
        with pytest.raises(SpecRefused) as refused:
            read(item)
        (told,) = refused.value.problems
        assert told.startswith("mlectl-system is the controller's own namespace")
        assert refused.value.experiment.uid == "0f6f0d9e"


def test_a_status_that_cannot_be_read_is_derived_anew():
    assert read({**stored(), "status": {"phase": "Dreaming"}}).status.phase == "Pending"


@pytest.mark.parametrize(
    "old, new, want",
    [
        pytest.param({"a": 1}, {"a": 1.0}, {}, id="nothing changed"),
        pytest.param({"a": 1, "b": 2}, {"a": 1}, {"b": None}, id="what is gone is removed"),
        pytest.param({"a": {"x": 1, "y": 2}}, {"a": {"x": 3}}, {"a": {"x": 3, "y": None}}, id="deep inside too"),
        pytest.param({"a": [1, 2]}, {"a": [2]}, {"a": [2]}, id="a list is replaced"),
        pytest.param({}, {"a": {"x": 1}}, {"a": {"x": 1}}, id="what is new is added"),
    ],
)
def test_a_status_is_changed_by_what_differs(old, new, want):
    assert merge_patch(old, new) == want
