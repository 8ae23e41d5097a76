"""What only pods can find out: they are started where, as whom and under which policy true ones would be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from secrets import token_hex
from urllib.parse import parse_qs, urlsplit

import catalog
from orchestrator.api.types import ExperimentRunStatus, Network
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.clocks import judge_agents_clock, judge_clocks
from orchestrator.cli.doctor.isolation import judge_isolation, judge_ways
from orchestrator.cli.doctor.kaggle import judge_kaggle
from orchestrator.cli.doctor.nodes import Node
from orchestrator.cli.doctor.pods import Eye, Saw, image_pod, look_through, worker_pod
from orchestrator.cli.doctor.stores import judge_identity, judge_speed
from orchestrator.cli.doctor.subject import Subject
from orchestrator.cli.doctor.trouble import advice
from orchestrator.cli.output import tell
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.network import network_policy
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.core.model import Experiment, Role
from orchestrator.storage.open import AWS
from orchestrator.worker.orders import DoctorOrder

MEASURED_BYTES = 64 << 20
POLICY_SECONDS = 20.0
"""How long after a pod's start a plug-in may take to do what a policy says."""
HOSTNAME = "kubernetes.io/hostname"
HELD, FREE, CONTROLLER, GRADER, IMAGE = "held", "free", "controller", "grader", "image"


def look_with_pods(subject: Subject, fitting: list[Node], patience_seconds: float) -> Iterator[Check]:
    """`fitting` are the nodes that agents would run on, if any is known."""
    if subject.settings is None or subject.system is None:
        yield Check("probe", "skipped", "without the controller's settings nobody knows what to try")
        return
    eyes = list(make_eyes(subject, subject.settings, subject.system, fitting))
    tell(f"Starting {len(eyes)} pods in {subject.system} and {subject.agents}; they are removed afterwards.")
    saw = look_through(subject.api, eyes, patience_seconds)
    yield from judge_all(saw, subject)


def make_eyes(subject: Subject, settings: Settings, system: str, fitting: list[Node]) -> Iterator[Eye]:
    """The pods: an agent-like pair with and without a policy, one for each identity, one of the agent's image."""
    where = _where(subject, fitting)
    if settings.network.canary:
        order = DoctorOrder(canary=settings.network.canary, patience_seconds=POLICY_SECONDS, clocks=True)
        endpoint = _endpoint(settings)
        held = DoctorOrder(
            canary=settings.network.canary,
            must_reach=(host_and_port(endpoint), host_and_port(settings.validation.url)),
            must_trust=endpoint if endpoint.startswith("https:") else None,
            hold_seconds=max(1.0, settings.network.hold_seconds),
            patience_seconds=POLICY_SECONDS,
        )
        yield Eye(HELD, subject.agents, Role.AGENT, worker_pod(settings, held, **where), _policy(subject, settings))
        yield Eye(FREE, subject.agents, Role.AGENT, worker_pod(settings, order, **where))
    nonce = token_hex(4)
    everything = DoctorOrder(
        stores=settings.stores,
        nonce=nonce,
        measured_bytes=MEASURED_BYTES,
        clocks=True,
        kaggle=tuple(subject.competitions),
        version=subject.spec.benchmark,
    )
    prepare, grade = settings.prepare, settings.grade
    there = {"nodeSelector": dict(prepare.node_selector), "tolerations": list(prepare.tolerations)}
    yield Eye(CONTROLLER, system, Role.PREPARE, worker_pod(settings, everything, prepare.secrets, **there))
    there = {"nodeSelector": dict(grade.node_selector), "tolerations": list(grade.tolerations)}
    reading = DoctorOrder(stores=settings.stores, nonce=nonce)
    yield Eye(GRADER, system, Role.GRADE, worker_pod(settings, reading, grade.secrets, **there))
    if subject.spec_given:
        yield Eye(IMAGE, subject.agents, Role.AGENT, image_pod(settings, subject.spec.agent.image, **where))


def judge_all(saw: dict[str, Saw], subject: Subject) -> Iterator[Check]:
    if HELD in saw:
        yield judge_isolation(saw[HELD], saw[FREE])
        yield judge_ways(saw[HELD])
        yield judge_agents_clock(saw[FREE])
    else:
        yield Check("network policies", "skipped", "there is no canary to try them on", "set canary.enabled=true")
    for identity in (CONTROLLER, GRADER):
        yield judge_identity(identity, saw[identity])
    told = saw[CONTROLLER].told
    if told:
        yield judge_speed(told["speed"], largest_gb(subject))
        yield judge_clocks(told["clocks"])
        yield judge_kaggle(told["kaggle"], subject.competitions)
    if IMAGE in saw:
        yield judge_image(subject.spec.agent.image, saw[IMAGE])
    else:
        yield Check("agent's image", "skipped", "nobody said which it is", "name an ExperimentRun that has it: -f FILE")


def judge_image(image: str, saw: Saw) -> Check:
    if saw.trouble:
        return Check("agent's image", "problem", f"{image}: {saw.trouble}", advice(saw.trouble))
    return Check("agent's image", "ok", f"{image} starts on {saw.node}")


def largest_gb(subject: Subject) -> float:
    """Of the data sets of what is to run."""
    return max((catalog.load(one).size_gb for one in subject.competitions), default=0.0)


def host_and_port(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _endpoint(settings: Settings) -> str:
    return parse_qs(urlsplit(settings.stores.runs).query).get("endpoint", [AWS])[0]


def _policy(subject: Subject, settings: Settings) -> Object:
    """The very policy that an experiment's agents would have, in the strictest mode."""
    spec = subject.spec.model_copy(update={"network": Network(mode="none")})
    played = Experiment(subject.agents, "doctor", "doctor", 1, datetime.now(UTC), spec, ExperimentRunStatus())
    wanted: Object = network_policy(played, settings)["spec"]
    return wanted


def _where(subject: Subject, fitting: list[Node]) -> Object:
    """Where agents' pods would go: by name where the nodes are known that one fits on."""
    placement = subject.placement
    hosts = sorted({node.labels[HOSTNAME] for node in fitting if HOSTNAME in node.labels})
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": hosts}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {
        "nodeSelector": dict(placement.node_selector),
        "tolerations": [one.to_dict() for one in placement.tolerations],
        "runtimeClassName": placement.runtime_class_name,
        "affinity": {"nodeAffinity": required} if hosts else None,
    }
