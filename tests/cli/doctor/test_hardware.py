from decimal import Decimal

import pytest

from orchestrator.api.types import Placement, Resources, Toleration
from orchestrator.cli.doctor.gpus import judge_model, judge_plugin, judge_toolkit, toolkit_versions
from orchestrator.cli.doctor.nodes import Fleet, Node, daemon_requests, judge_nodes, judge_preparing, why_not
from orchestrator.cli.doctor.queue import judge_queue, judge_use
from orchestrator.core.model import CompetitionFacts
from tests.cli.doctor.build import ANYWHERE, PUBLISHED, cluster_queue, node
from tests.kubernetes.build import settings

CPU_POOL = {"nodeSelector": {"pool": "cpu"}}
TAINT = {"key": "nvidia.com/gpu", "effect": "NoSchedule", "value": "present"}


@pytest.mark.parametrize(
    "there, placement, reasons",
    [
        pytest.param(node(), ANYWHERE, [], id="a node of exactly the size"),
        pytest.param(node(cpu="35"), ANYWHERE, ["35 CPUs of 36 CPUs"], id="a CPU too few"),
        pytest.param(
            node(memory="400Gi"), ANYWHERE, ["400 GiB of memory of 440 GiB of memory"], id="too little memory"
        ),
        pytest.param(node(gpus=0), ANYWHERE, ["0 nvidia.com/gpu of 1 nvidia.com/gpu"], id="no GPU"),
        pytest.param(
            node(taints=[TAINT]), ANYWHERE, ["its taint nvidia.com/gpu:NoSchedule is not tolerated"], id="a taint"
        ),
        pytest.param(
            node(taints=[TAINT]),
            Placement(tolerations=(Toleration(key="nvidia.com/gpu", operator="Exists"),)),
            [],
            id="a taint that is tolerated",
        ),
        pytest.param(
            node(taints=[TAINT]),
            Placement(tolerations=(Toleration(key="nvidia.com/gpu", value="other"),)),
            ["its taint nvidia.com/gpu:NoSchedule is not tolerated"],
            id="another value of the taint",
        ),
        pytest.param(
            node(), Placement(node_selector={"pool": "a"}), ["it lacks the label pool=a"], id="a label that is missing"
        ),
        pytest.param(node(is_ready=False, is_cordoned=True), ANYWHERE, ["it is not ready", "it is cordoned"], id="off"),
    ],
)
def test_why_an_agent_would_not_go_to_a_node(there, placement, reasons):
    assert why_not(there, PUBLISHED, placement) == reasons


def test_the_nearest_node_and_what_it_lacks_are_named():
    fleet = Fleet([node("small", cpu="8", memory="30Gi", gpus=0), node("near", cpu="32")])
    found = judge_nodes(fleet, PUBLISHED, ANYWHERE, 32)
    assert found.verdict == "problem"
    assert found.found.endswith("near comes nearest: 32 CPUs of 36 CPUs")


def test_a_cluster_that_can_grow_is_only_warned():
    assert judge_nodes(Fleet([], can_grow=True), PUBLISHED, ANYWHERE, 32).verdict == "warning"
    assert judge_nodes(Fleet([]), PUBLISHED, ANYWHERE, 32).verdict == "problem"


@pytest.mark.parametrize(
    "there, verdict, words",
    [
        pytest.param([node("cpu-0", gpus=0, cpu="8", labels={"pool": "cpu"})], "ok", "cpu-0 has room", id="it fits"),
        pytest.param([node(memory="16Gi", labels={"pool": "cpu"})], "warning", "no node has room", id="memory"),
        pytest.param([node()], "warning", "no node has room", id="only in a pool that workers do not use"),
        pytest.param([], "warning", "no node has room", id="no nodes at all"),
    ],
)
def test_the_largest_competition_is_named_with_whether_a_node_can_hold_its_preparation(there, verdict, words):
    given = settings(prepare={"resources": {"cpu": "4", "memory": "32Gi"}, "storage": "2Ti", **CPU_POOL})
    found = judge_preparing(Fleet(there), CompetitionFacts("whales", frozenset(), 100.0), given)
    need = "4 CPUs, 32 GiB of memory, 392.5 GiB of disk"
    assert found.found == f"{words} to prepare whales, the largest ({need})"
    assert found.verdict == verdict
    grows = judge_preparing(Fleet([], can_grow=True), CompetitionFacts("whales", frozenset(), 100.0), given)
    assert grows.found.endswith("now, but the cluster can make more")


def test_whatever_the_size_of_the_largest_it_is_told():
    found = judge_preparing(Fleet([]), CompetitionFacts("whales", frozenset(), 451.2345678), settings())
    assert found.verdict == "warning"
    assert "to prepare whales" in found.found


def test_what_daemons_use_is_gone():
    pod = {
        "metadata": {"ownerReferences": [{"kind": "DaemonSet"}]},
        "spec": {"nodeName": "gpu-0", "containers": [{"resources": {"requests": {"cpu": "500m"}}}, {}]},
    }
    other = {"metadata": {}, "spec": {"nodeName": "gpu-0", "containers": pod["spec"]["containers"]}}
    used = daemon_requests([pod, pod, other])
    assert used == {"gpu-0": {"cpu": Decimal(1)}}
    item = {
        "metadata": {"name": "gpu-0"},
        "status": {"allocatable": {"cpu": "36"}, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert Node.of(item, used["gpu-0"]).has == {"cpu": Decimal(35)}


def test_a_gpu_that_nobody_offers_points_at_the_device_plug_in():
    silent = node("a", gpus=0, labels={"nvidia.com/gpu.present": "true"})
    assert judge_plugin(Fleet([silent]), PUBLISHED).found == "a has a GPU, but no node offers nvidia.com/gpu"
    assert judge_plugin(Fleet([silent]), PUBLISHED).verdict == "problem"
    assert judge_plugin(Fleet([silent], can_grow=True), PUBLISHED).verdict == "problem"
    assert judge_plugin(Fleet([silent, node("b")]), PUBLISHED).verdict == "warning"
    assert judge_plugin(Fleet([node("b", gpus=4), node("c")]), PUBLISHED).found == "2 nodes offer 5 nvidia.com/gpu"


def test_a_pool_of_gpu_nodes_that_is_empty_is_a_problem_only_where_nobody_fills_it():
    empty = [node("c", gpus=0)]
    assert judge_plugin(Fleet(empty), PUBLISHED).verdict == "problem"
    assert judge_plugin(Fleet(empty, can_grow=True), PUBLISHED).verdict == "warning"


@pytest.mark.parametrize(
    "model, verdict",
    [("NVIDIA-A10", "ok"), ("NVIDIA-A10G", "warning"), ("NVIDIA-A100-SXM4-80GB", "warning"), ("nvidia-l4", "warning")],
)
def test_another_gpu_than_the_published_one_is_worth_a_warning(model, verdict):
    assert judge_model([node(labels={"nvidia.com/gpu.product": model})]).verdict == verdict


def test_a_gpu_without_a_name_is_worth_a_warning():
    assert judge_model([node()]).verdict == "warning"


@pytest.mark.parametrize(
    "version, holes",
    [
        ("v1.16.1-ubuntu20.04", "CVE-2024-0132, CVE-2025-23359, CVE-2025-23266"),
        ("v1.16.2-ubi8", "CVE-2025-23359, CVE-2025-23266"),
        ("1.17.4", "CVE-2025-23266"),
        ("v1.17.8", ""),
        ("v1.18.0", ""),
    ],
)
def test_holes_of_the_container_toolkit_are_named(version, holes):
    found = judge_toolkit([version])
    assert found.verdict == ("problem" if holes else "ok")
    assert found.found.endswith(holes or "none of the known ways out of a container")


def test_a_toolkit_whose_version_is_not_known_is_worth_a_warning():
    assert judge_toolkit([]).verdict == judge_toolkit(["latest"]).verdict == "warning"


def test_the_version_of_the_toolkit_is_the_tag_of_its_image():
    images = ["nvcr.io/nvidia/k8s/container-toolkit:v1.17.4@sha256:00", "registry:5000/other:1"]
    containers = [{"image": image} for image in images]
    assert toolkit_versions([{"spec": {"template": {"spec": {"containers": containers}}}}]) == ["v1.17.4"]


LOCAL = {"spec": {"clusterQueue": "team"}}
AMPLE = {"cpu": "360", "memory": "4400Gi", "nvidia.com_gpu": "10", "ephemeral-storage": "10Ti"}


@pytest.mark.parametrize(
    "local, whole, verdict, words",
    [
        pytest.param(None, None, "problem", "there is no LocalQueue agents in runs", id="no LocalQueue"),
        pytest.param(LOCAL, None, "problem", "ClusterQueue team, which is not there", id="no ClusterQueue"),
        pytest.param(LOCAL, cluster_queue(**AMPLE), "ok", "room for 10 runs", id="room enough"),
        pytest.param(LOCAL, cluster_queue(**{**AMPLE, "cpu": "40"}), "warning", "room for 1 runs", id="room for one"),
        pytest.param(
            LOCAL, cluster_queue(**{**AMPLE, "memory": "400Gi"}), "problem", "too little memory", id="room for none"
        ),
        pytest.param(LOCAL, cluster_queue(cpu="99", memory="999Gi"), "problem", "no quota of nvidia.com/gpu", id="GPU"),
        pytest.param(
            LOCAL,
            cluster_queue(**{key: value for key, value in AMPLE.items() if "storage" not in key}),
            "warning",
            "no quota of ephemeral-storage",
            id="no quota of disk",
        ),
        pytest.param(
            {"spec": {**LOCAL["spec"], "stopPolicy": "Hold"}}, cluster_queue(**AMPLE), "problem", "stopped", id="held"
        ),
    ],
)
def test_the_queue_has_room_for_a_run(local, whole, verdict, words):
    found = judge_queue("agents", "runs", local, whole, Resources(), 10)
    assert (found.verdict, words in found.found) == (verdict, True), found.found


def test_a_queue_without_kueue_is_for_ever():
    assert judge_use(None, "").verdict == judge_use(None, "v1beta1").verdict == "ok"
    assert "would wait for ever" in judge_use("agents", "").found
