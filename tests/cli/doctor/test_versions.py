import pytest

from orchestrator.api.crd import custom_resource_definition
from orchestrator.cli.doctor.definition import first_difference, judge_definition
from orchestrator.cli.doctor.installation import judge_leader, judge_part, judge_version
from orchestrator.cli.doctor.versions import judge_kubelets, judge_server

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    "version, verdict",
    [("v1.30.9", "problem"), ("v1.31.0", "ok"), ("v1.34.4-gke.100", "ok"), ("v2.0.0", "ok"), ("edge", "warning")],
)
def test_the_api_server_must_be_new_enough(version, verdict):
    assert judge_server(version).verdict == verdict


def test_a_node_with_an_old_kubelet_would_never_start_an_agent():
    found = judge_kubelets({"old": "v1.28.4", "new": "v1.34.0", "silent": ""})
    assert found.verdict == "problem"
    assert "old has a kubelet v1.28.4" in found.found
    assert judge_kubelets({"new": "v1.34.0", "other": "v1.31.2", "silent": ""}).found == "v1.31.2 to v1.34.0 on 3 nodes"


def established():
    return {**custom_resource_definition(), "status": {"conditions": [{"type": "Established", "status": "True"}]}}


def test_the_definition_must_be_there_served_established_and_ours():
    ours = custom_resource_definition()
    assert judge_definition(established(), ours).verdict == "ok"
    assert judge_definition(None, ours).found == "the cluster does not know ExperimentRuns"
    assert "not established" in judge_definition({**ours}, ours).found
    old = established()
    old["spec"]["versions"][0]["name"] = "v1alpha0"
    assert "v1alpha1 is not served (served: v1alpha0)" in judge_definition(old, ours).found


def test_a_field_that_the_cluster_would_drop_is_named():
    older = established()
    del older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["agent"]
    found = judge_definition(older, custom_resource_definition())
    assert (found.verdict, found.found.rpartition(" ")[2]) == ("problem", "spec.agent")


def test_other_words_in_a_description_are_no_difference():
    assert first_difference({"description": "a", "type": "x"}, {"description": "b", "type": "x"}) == ""
    assert first_difference({"properties": {"description": {"type": "x"}}}, {"properties": {}}) == "description"


def lease(**spec):
    return {"spec": {"holderIdentity": "a", "leaseDurationSeconds": 15, **spec}}


@pytest.mark.parametrize(
    "found, verdict",
    [
        pytest.param(lease(renewTime="2027-01-15T07:59:50.000000Z"), "ok", id="renewed ten seconds ago"),
        pytest.param(lease(renewTime="2027-01-15T07:59:00.000000Z"), "problem", id="not renewed for a minute"),
        pytest.param(lease(renewTime="2027-01-15T08:00:00.000000Z", holderIdentity=""), "problem", id="released"),
        pytest.param(None, "problem", id="never taken"),
    ],
)
def test_somebody_must_lead(found, verdict):
    assert judge_leader(found, NOW).verdict == verdict


def deployment(ready, wanted=2):
    metadata = {"name": "mlectl-validation", "namespace": "mlectl-system"}
    return {"metadata": metadata, "spec": {"replicas": wanted}, "status": {"readyReplicas": ready}}


def test_a_part_is_ready_half_ready_or_not():
    assert judge_part("validation", deployment(2)).verdict == "ok"
    assert judge_part("validation", deployment(1)).verdict == "warning"
    none = judge_part("validation", deployment(0))
    assert none.verdict == "problem"
    assert "kubectl -n mlectl-system describe deployment mlectl-validation" in none.what_to_do
    assert judge_part("validation", None).verdict == "problem"
    assert judge_part("canary", None).verdict == "warning", "it can be switched off"


def test_another_version_on_the_cluster_is_worth_a_warning():
    assert judge_version("0.1.0", "0.1.0").verdict == "ok"
    assert judge_version("0.0.9", "0.1.0").verdict == "warning"
