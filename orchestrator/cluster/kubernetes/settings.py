"""What the operator of a cluster decided, as one YAML file: `mlectl controller --config FILE`."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from orchestrator.api.types import parse_quantity
from orchestrator.worker.orders import Stores

Peer = dict[str, Any]
"""A NetworkPolicyPeer, as Kubernetes writes it."""


class BadSettings(Exception):
    """The file can't be used; the message says what to change."""


class Part(BaseModel):
    """Common to all parts: camelCase in the file, unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)


class Amounts(Part):
    """What a container of ours may use; it is also what it asks for."""

    cpu: str
    memory: str


class WorkerSettings(Part):
    """How prepare or grade Jobs run."""

    secrets: tuple[str, ...] = ()
    """Secrets in the controller's namespace with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of this role's identity
    (and for prepare the Kaggle credentials); every key becomes a variable of the worker."""
    resources: Amounts
    storage: str = "20Gi"
    """Disk of the node. For prepare the most that a large competition may ask for; a small one asks for less."""
    node_selector: dict[str, str] = Field(default_factory=dict)
    tolerations: tuple[dict[str, Any], ...] = ()


class CacheSettings(Part):
    """Where shards of datasets are kept between stagings, so that a node, or a cluster, fetches each once."""

    claim: str = ""
    """A PersistentVolumeClaim of this name in each namespace with agents, ReadWriteMany and writable for user and group
    1000. Left empty: there is no cache. Only `stage` mounts it."""
    size: str = "500Gi"
    """How much may lie there; sets that were used least recently go first."""

    @field_validator("size")
    @classmethod
    def _check_size(cls, size: str) -> str:
        if parse_quantity(size) <= 0:
            raise ValueError("write a size above 0, for instance 500Gi")
        return size


class AgentSettings(Part):
    """Where agents run, for specs that do not say so themselves (spec.placement)."""

    node_selector: dict[str, str] = Field(default_factory=dict)
    tolerations: tuple[dict[str, Any], ...] = ()
    runtime_class_name: str = ""
    priority_class_name: str = ""
    queue: str = ""
    cache: CacheSettings = CacheSettings()


class ValidationSettings(Part):
    """The validation service, which also hands out an attempt's URLs."""

    url: str
    """As seen from agents' pods, such as http://mlectl-validation.mlectl-system.svc:8080."""
    secret_file: Path
    """File with the key of run tokens, which the controller and the service share."""


class NetworkSettings(Part):
    """Whom agents' pods may reach in the modes restricted and none, and what proves that they reach nobody else."""

    store: tuple[Peer, ...] = ()
    store_ports: tuple[int, ...] = (443,)
    validation: tuple[Peer, ...] = ()
    validation_port: int = 8080
    gateway: tuple[Peer, ...] = ()
    gateway_port: int = 4000
    dns: tuple[Peer, ...] = (
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        },
    )
    dns_ports: tuple[int, ...] = (53,)
    """Of the pods behind the DNS service, since a policy speaks of these: OpenShift's listen at 5353."""
    canary: str | None = None
    """host:port of a Service that answers everybody, and that an agent must not reach."""
    blocked: tuple[str, ...] = ()
    """More host:port that an agent must not reach, such as the cloud's metadata address."""
    hold_seconds: float = 5.0
    """How long everything must stay blocked before the clock may start."""
    allow_public_store: bool = False
    """A store that strangers share is a way out for an agent with an account of its own there. It must be said that
    this is accepted, and every record repeats it."""

    @model_validator(mode="after")
    def _check_store(self) -> Self:
        cidrs = [cidr for cidr in map(_cidr, self.store) if cidr is not None]
        public = [cidr for cidr in cidrs if ip_network(cidr, strict=False).is_global]
        if public and not self.allow_public_store:
            raise ValueError(
                f"store names public addresses ({', '.join(public)}), where an agent could have an account of its own; "
                "use a store in the cluster or behind a private endpoint, or set allowPublicStore: true"
            )
        return self


def _cidr(peer: Peer) -> str | None:
    """The addresses of a peer that is not in the cluster."""
    block = peer.get("ipBlock")
    return str(block["cidr"]) if block else None


class Settings(Part):
    """All of it."""

    namespace: str
    """Of the controller, the validation service, and prepare and grade Jobs. No agent runs there."""
    watch: tuple[str, ...] = ()
    """Namespaces whose ExperimentRuns are served; left out, all but `namespace` (which needs a ClusterRole)."""
    image: str
    """Of the workers: the orchestrator's own."""
    image_pull_policy: str = "IfNotPresent"
    image_pull_secrets: tuple[str, ...] = ()
    stores: Stores
    ca_config_map: str = ""
    """ConfigMap with `ca.crt`: the authorities to trust for the stores, in the place of the public ones. It has this
    name in the controller's namespace and in each namespace with agents, whose couriers talk to the store too."""
    prepare: WorkerSettings = WorkerSettings(resources=Amounts(cpu="4", memory="32Gi"), storage="2Ti")
    grade: WorkerSettings = WorkerSettings(resources=Amounts(cpu="2", memory="16Gi"))
    agents: AgentSettings = AgentSettings()
    courier: Amounts = Amounts(cpu="250m", memory="512Mi")
    """Taken out of what the spec gives the agent, so that the pod as a whole asks for what the spec says."""
    validation: ValidationSettings
    network: NetworkSettings = NetworkSettings()
    patience: timedelta = timedelta(minutes=10)
    """How long an attempt on a node that is not heard of is waited for."""
    collection: timedelta = timedelta(minutes=30)
    """How long a pod that is told to go may take to send what its agent left."""

    @model_validator(mode="after")
    def _check_watch(self) -> Self:
        if self.namespace in self.watch:
            raise ValueError(
                f"watch names {self.namespace}, the controller's own namespace, which has the keys to the answers, so "
                "no agent may run there; name others"
            )
        return self


def load_settings(path: Path) -> Settings:
    try:
        return Settings.model_validate(yaml.safe_load(path.read_text()))
    except OSError as error:
        raise BadSettings(f"{path} can't be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise BadSettings(f"{path} is not YAML: {error}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise BadSettings(f"{path}: {problems}") from error
