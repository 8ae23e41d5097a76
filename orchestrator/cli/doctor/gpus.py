"""GPUs: whether a device plug-in offers them, which they are, and whether the container toolkit has known holes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from orchestrator.api.types import Resources
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.nodes import Fleet, Node
from orchestrator.cli.doctor.subject import DAEMON_SETS, Subject
from orchestrator.cluster.kubernetes.kinds import Object

SIGNS = ("nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-10de.present", "cloud.google.com/gke-accelerator")
"""Labels by which a node says that a GPU of NVIDIA's is in it, whether or not anything offers it."""
MODELS = ("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "k8s.amazonaws.com/accelerator")
PUBLISHED = re.compile(r"\bA10\b", re.IGNORECASE)
"""The published setting's. An A10G is another chip."""
TOOLKIT = "container-toolkit"
HOLES: Mapping[str, tuple[int, int, int]] = {
    "CVE-2024-0132": (1, 16, 2),
    "CVE-2025-23359": (1, 17, 4),
    "CVE-2025-23266": (1, 17, 8),
}
"""Ways out of a container to its host, and the version of the toolkit that closes each."""
OFFER = "check the pods of NVIDIA's device plug-in there, and the node's driver"


def look_at_gpus(subject: Subject, fleet: Fleet) -> Iterator[Check]:
    wanted = subject.spec.resources
    if not wanted.gpu.count:
        yield Check("GPUs", "skipped", "the experiment asks for none")
        return
    yield judge_plugin(fleet, wanted)
    yield judge_model(fleet.fitting(wanted, subject.placement))
    yield judge_toolkit(toolkit_versions(subject.api.list(DAEMON_SETS).items))


def judge_plugin(fleet: Fleet, wanted: Resources) -> Check:
    """Whether every node with a GPU offers it. A pool of GPU nodes may be empty where the cluster can fill it."""
    resource, name, nodes = wanted.gpu.resource, "device plug-in", fleet.nodes
    offering = [node for node in nodes if node.has.get(resource, Decimal(0)) > 0]
    silent = [node for node in nodes if node not in offering and any(node.labels.get(sign) for sign in SIGNS)]
    if silent and not offering:
        told = f"{silent[0].name} has a GPU, but no node offers {resource}"
        return Check(name, "problem", told, f"install NVIDIA's device plug-in, or GPU operator; {OFFER}")
    if silent:
        told = (
            f"{len(silent)} of {len(silent) + len(offering)} nodes with a GPU do not offer {resource}: {silent[0].name}"
        )
        return Check(name, "warning", told, OFFER)
    if not offering and fleet.can_grow:
        told = f"no node offers {resource} now, but the cluster can make more nodes"
        return Check(name, "warning", told, "bring up one GPU node, and look again before the experiment does")
    if not offering:
        return Check(name, "problem", f"no node offers {resource}", "add GPU nodes and NVIDIA's device plug-in")
    total = sum((node.has[resource] for node in offering), Decimal(0))
    return Check(name, "ok", f"{len(offering)} nodes offer {total:f} {resource}")


def judge_model(nodes: Sequence[Node]) -> Check:
    """Which GPUs the nodes have that an agent would run on. Other hardware is allowed; it should be known."""
    models = sorted({model for node in nodes if (model := _model(node))})
    if not nodes:
        return Check("GPU model", "skipped", "no node has room for an agent")
    if not models:
        told = "no label of the nodes says which GPUs they have"
        return Check("GPU model", "warning", told, "run GPU feature discovery, or look yourself: nvidia-smi -L")
    others = [model for model in models if not PUBLISHED.search(model.replace("-", " ").replace("_", " "))]
    if others:
        advice = "choose A10 nodes with spec.placement, or say which GPU it was when you publish"
        return Check("GPU model", "warning", f"not the published A10: {', '.join(others)}", advice)
    return Check("GPU model", "ok", ", ".join(models))


def toolkit_versions(daemon_sets: Sequence[Object]) -> list[str]:
    """Tags of the container toolkit's images, as the GPU operator installs them."""
    tags = set()
    for item in daemon_sets:
        pod = item["spec"]["template"]["spec"]
        for container in (*pod.get("initContainers", ()), *pod.get("containers", ())):
            image, _, tag = container["image"].partition("@")[0].rpartition(":")
            if image.rpartition("/")[2] == TOOLKIT:
                tags.add(tag)
    return sorted(tags)


def judge_toolkit(versions: Sequence[str]) -> Check:
    name, newest = "container toolkit", ".".join(map(str, max(HOLES.values())))
    advice = f"upgrade NVIDIA's container toolkit to {newest} or newer on every GPU node"
    if not versions:
        told = "its version can't be read: no DaemonSet runs the GPU operator's image of it"
        return Check(name, "warning", told, f"look on a GPU node: nvidia-ctk --version; needed: {newest} or newer")
    for version in versions:
        number = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
        if number is None:
            return Check(name, "warning", f"its version {version!r} is no number", f"needed: {newest} or newer")
        found = (int(number[1]), int(number[2]), int(number[3]))
        if holes := [hole for hole, mended in HOLES.items() if found < mended]:
            told = f"{version} has known ways out of a container: {', '.join(holes)}"
            return Check(name, "problem", told, advice)
    return Check(name, "ok", f"{', '.join(versions)}: none of the known ways out of a container")


def _model(node: Node) -> str:
    return next((node.labels[label] for label in MODELS if node.labels.get(label)), "")
