"""A cluster, family by family, in the order in which a newcomer needs them; none stops another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orchestrator
from orchestrator.api.types import Agent, Competitions, ExperimentRun, ExperimentRunSpec
from orchestrator.cli.doctor.cache import look_at_cache
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.definition import look_at_definition
from orchestrator.cli.doctor.gpus import look_at_gpus
from orchestrator.cli.doctor.installation import Installed, find_installation, look_at_installation
from orchestrator.cli.doctor.nodes import Fleet, look_at_fleet, look_at_nodes
from orchestrator.cli.doctor.pod_security import look_at_pod_security
from orchestrator.cli.doctor.policies import look_at_policies
from orchestrator.cli.doctor.queue import look_at_queue
from orchestrator.cli.doctor.rights import look_at_controller_rights, look_at_own_rights
from orchestrator.cli.doctor.subject import Cluster, Subject, shielded
from orchestrator.cli.doctor.trial import look_with_pods
from orchestrator.cli.doctor.versions import look_at_versions, server_time
from orchestrator.cli.where import Where
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.connection import Connection
from orchestrator.cluster.kubernetes.errors import ApiError
from orchestrator.cluster.kubernetes.kubeconfig import find_target

PUBLISHED = ExperimentRunSpec(competitions=Competitions(split="all"), agent=Agent(name="any", image="any"))
"""What is checked for if nobody says what is to run."""


@dataclass(frozen=True)
class Wish:
    """What was asked for on the command line."""

    where: Where
    experiment: ExperimentRun | None = None
    system: str | None = None
    probe: bool = False
    patience_seconds: float = 300.0


def connect(where: Where) -> Cluster:
    """By kubectl's conventions; BadKubeconfig says what is missing."""
    target = find_target(where.kubeconfig, where.context)
    connection = Connection(target)
    return Cluster(Api(connection, target.namespace), connection, target.context or "in-cluster")


def examine(cluster: Cluster, wish: Wish) -> Iterator[Check]:
    """Every line. An API server that does not answer is the only one then."""
    try:
        now = server_time(cluster)
    except ApiError as error:
        advice = "check it with `kubectl cluster-info`, or choose another with --context"
        yield Check("cluster", "problem", error.message, advice)
        return
    installed = find_installation(cluster.api, wish.system)
    subject = make_subject(cluster, wish, installed)
    yield Check("cluster", "ok", f"context {cluster.label}, {cluster.connection.server}, namespace {subject.agents}")
    yield from shielded("kubernetes", lambda: look_at_versions(subject))
    yield from shielded("definition", lambda: look_at_definition(subject))
    yield from shielded("your rights", lambda: look_at_own_rights(subject))
    if installed.trouble:
        yield installed.trouble
    version = orchestrator.__version__
    yield from shielded("installation", lambda: look_at_installation(subject, installed, version, now))
    yield from shielded("controller's rights", lambda: look_at_controller_rights(subject, installed.account))
    yield from shielded("pod security", lambda: look_at_pod_security(subject))
    yield from shielded("others' policies", lambda: look_at_policies(subject))
    yield from look_at_hardware(subject, wish)


def look_at_hardware(subject: Subject, wish: Wish) -> Iterator[Check]:
    """Nodes and what is on them, and the pods that go there."""
    fleets: list[Fleet] = []

    def nodes() -> Iterator[Check]:
        fleets.append(look_at_fleet(subject.api))
        yield from look_at_nodes(subject, fleets[0])

    yield from shielded("nodes", nodes)
    if fleets:
        yield from shielded("GPUs", lambda: look_at_gpus(subject, fleets[0]))
    yield from shielded("queue", lambda: look_at_queue(subject))
    yield from shielded("dataset cache", lambda: look_at_cache(subject), if_forbidden="skipped")
    if not wish.probe:
        told = "network policies, stores, clocks, images, Kaggle: only pods can see to these"
        yield Check("probe", "skipped", told, "--probe starts some for about a minute, and removes them again")
        return
    fitting = fleets[0].fitting(subject.spec.resources, subject.placement) if fleets else []
    trial = look_with_pods(subject, fitting, wish.patience_seconds)
    yield from shielded("probe", lambda: trial, if_forbidden="problem")  # it was asked for, and nothing is known


def make_subject(cluster: Cluster, wish: Wish, installed: Installed) -> Subject:
    """The experiments' namespace is the one that was named, else the first that is served, else the context's."""
    experiment = wish.experiment
    served = installed.settings.watch[0] if installed.settings and installed.settings.watch else None
    return Subject(
        cluster=cluster,
        system=installed.namespace,
        agents=wish.where.namespace or served or cluster.api.namespace,
        settings=installed.settings,
        spec=experiment.spec if experiment else PUBLISHED,
        spec_given=experiment is not None,
    )


def read_experiment(file: Path | None) -> ExperimentRun | None:
    from orchestrator.cli.spec_file import read_spec_file

    return read_spec_file(file) if file else None
