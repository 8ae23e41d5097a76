"""What a person writes under `spec` of an ExperimentRun. The defaults are the published setting of the benchmark."""

from __future__ import annotations

import ipaddress
from datetime import timedelta
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator, Field, WithJsonSchema

from orchestrator.api.part import Part, Rule
from orchestrator.api.values import (
    Bytes,
    CompetitionId,
    Cpu,
    Duration,
    EnvName,
    Flag,
    Label,
    Money,
    ObjectName,
    Text,
    Whole,
    must_write,
)

Benchmark = Literal["v1", "v2"]
Split = Literal["lite", "low", "medium", "high", "all", "dev", "demo"]
SPLITS: tuple[str, ...] = get_args(Split)
NetworkMode = Literal["open", "restricted", "none"]

LineText = Annotated[Text, Field(max_length=1024)]
ModelName = Annotated[Text, Field(max_length=128)]
ImageName = Annotated[Text, Field(max_length=512)]
LabelKey = Annotated[Text, Field(max_length=317)]
LabelValue = Annotated[str, Field(strict=True, max_length=63)]


class Competitions(Part):
    """Which competitions to run."""

    split: Split | None = Field(
        default=None, description="A split: lite (the same as low), medium, high, all, dev or demo; instead of ids."
    )
    ids: Annotated[tuple[CompetitionId, ...], Field(min_length=1, max_length=500)] | None = Field(
        default=None, description="Competition ids, instead of a split."
    )
    exclude: Annotated[tuple[CompetitionId, ...], Field(max_length=500)] = Field(
        default=(), description="Competition ids to leave out of the split or the ids."
    )

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "has(self.split) != has(self.ids)",
            "name either a split or ids, for instance {split: lite} or {ids: [spaceship-titanic]}",
            lambda self: ("split" in self) != ("ids" in self),
        ),
    )


class KeyRef(Part):
    """One key of a Secret or a ConfigMap in the experiment's namespace."""

    name: ObjectName = Field(description="Name of the Secret or ConfigMap.")
    key: Annotated[Text, Field(max_length=253)] = Field(description="Key in it.")
    optional: Flag = Field(default=False, description="Whether the agent may start without it.")


class EnvVarSource(Part):
    """Where the value of an environment variable comes from."""

    secret_key_ref: KeyRef | None = Field(default=None, description="A key of a Secret.")
    config_map_key_ref: KeyRef | None = Field(default=None, description="A key of a ConfigMap.")

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "has(self.secretKeyRef) != has(self.configMapKeyRef)",
            "name either secretKeyRef or configMapKeyRef, for instance {secretKeyRef: {name: keys, key: token}}",
            lambda self: ("secretKeyRef" in self) != ("configMapKeyRef" in self),
        ),
    )


class EnvVar(Part):
    """An environment variable of the agent, as in a container."""

    name: EnvName = Field(description="Name of the variable.")
    value: Annotated[str, Field(strict=True, max_length=4096)] | None = Field(default=None, description="Its value.")
    value_from: EnvVarSource | None = Field(default=None, description="Where its value comes from, instead of value.")

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "!(has(self.value) && has(self.valueFrom))",
            "write either value or valueFrom, not both",
            lambda self: not ("value" in self and "valueFrom" in self),
        ),
    )


class ObjectRef(Part):
    """A Secret or a ConfigMap in the experiment's namespace."""

    name: ObjectName = Field(description="Name of the Secret or ConfigMap.")
    optional: Flag = Field(default=False, description="Whether the agent may start without it.")


class EnvFrom(Part):
    """Environment variables taken from every key of a Secret or a ConfigMap."""

    prefix: EnvName | None = Field(default=None, description="Put before each key.")
    secret_ref: ObjectRef | None = Field(default=None, description="A Secret.")
    config_map_ref: ObjectRef | None = Field(default=None, description="A ConfigMap.")

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "has(self.secretRef) != has(self.configMapRef)",
            "name either secretRef or configMapRef, for instance {secretRef: {name: keys}}",
            lambda self: ("secretRef" in self) != ("configMapRef" in self),
        ),
    )


class Agent(Part):
    """What is being measured."""

    name: Label = Field(description="Label of the agent in reports, such as aide.")
    image: ImageName = Field(description="Container image; on one machine the folder of a bundled agent answers to it.")
    command: Annotated[tuple[LineText, ...], Field(min_length=1, max_length=64)] | None = Field(
        default=None, description="Command to start; left out it is bash /home/agent/start.sh."
    )
    args: Annotated[tuple[LineText, ...], Field(max_length=64)] = Field(
        default=(), description="Arguments of the command."
    )
    env: Annotated[tuple[EnvVar, ...], Field(max_length=64)] = Field(default=(), description="Environment variables.")
    env_from: Annotated[tuple[EnvFrom, ...], Field(max_length=16)] = Field(
        default=(), description="Secrets and ConfigMaps whose keys become environment variables."
    )
    resume: Flag = Field(
        default=False,
        description="Whether a restarted attempt gets its folders back and the time that is left; "
        "otherwise it starts again with the full budget.",
    )


class Models(Part):
    """Language models that the agent may use, through the gateway."""

    allow: Annotated[tuple[ModelName, ...], Field(min_length=1, max_length=32)] = Field(
        description="Names of the models."
    )
    max_cost_per_run: Money | None = Field(
        default=None, description="US dollars that one run may spend; left out there is no limit."
    )


class Budget(Part):
    """What a run may use up."""

    wall_clock: Duration = Field(
        default=timedelta(hours=24), description="The agent's own time; staging and queueing do not count."
    )


class Gpu(Part):
    """Graphics processors of a run."""

    count: Annotated[Whole, Field(ge=0, le=64)] = Field(default=1, description="How many.")
    resource: Annotated[Text, Field(max_length=317)] = Field(
        default="nvidia.com/gpu", description="Name of the resource that Kubernetes knows them by."
    )


class Resources(Part):
    """The hardware of one run."""

    cpu: Cpu = Field(default="36", description="CPUs.")
    memory: Bytes = Field(default="440Gi", description="Memory.")
    gpu: Gpu = Field(default=Gpu(), description="Graphics processors.")
    storage: Bytes = Field(default="500Gi", description="Disk for the agent's folders and the dataset.")


class Toleration(Part):
    """A taint of nodes that the agent's pod tolerates."""

    key: Annotated[Text, Field(max_length=317)] | None = Field(
        default=None, description="Key of the taint; left out, every one."
    )
    operator: Literal["Exists", "Equal"] = Field(default="Equal", description="How value is compared.")
    value: LabelValue | None = Field(default=None, description="Value of the taint.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        default=None, description="Effect of the taint; left out, every one."
    )
    toleration_seconds: Annotated[Whole, Field(ge=0)] | None = Field(
        default=None, description="How long a NoExecute taint is tolerated; left out, for ever."
    )

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "self.operator == 'Equal' ? has(self.key) : !has(self.value)",
            "write key and value with operator Equal, or no value with operator Exists",
            lambda self: "key" in self if self["operator"] == "Equal" else "value" not in self,
        ),
    )


class Placement(Part):
    """Which nodes the agents run on, and in which order."""

    node_selector: Annotated[dict[LabelKey, LabelValue], Field(max_length=32)] = Field(
        default={}, description="Labels that a node must have."
    )
    tolerations: Annotated[tuple[Toleration, ...], Field(max_length=32)] = Field(
        default=(), description="Taints that are tolerated."
    )
    runtime_class_name: ObjectName | None = Field(
        default=None, description="RuntimeClass of the agent's pod, such as gvisor."
    )
    priority_class_name: ObjectName | None = Field(default=None, description="PriorityClass of the agent's pod.")
    queue: Label | None = Field(default=None, description="A Kueue LocalQueue that admits the agent Jobs.")


class Retries(Part):
    """How often a run is tried again."""

    infrastructure: Annotated[Whole, Field(ge=0, le=100)] = Field(
        default=3, description="After a lost machine or another fault that is not the agent's."
    )
    agent: Annotated[Whole, Field(ge=0, le=100)] = Field(default=0, description="After a fault of the agent.")


class Snapshots(Part):
    """Copies of the submission while the agent works: its score over time."""

    every: Duration = Field(default=timedelta(hours=1), description="Time between two copies.")
    grade: Flag = Field(default=True, description="Whether the copies are graded afterwards.")


def _check_cidr(value: str) -> str:
    try:
        ipaddress.ip_network(value)
    except ValueError:
        raise must_write("an address range such as 10.20.0.0/16", value) from None
    return value


Cidr = Annotated[
    Text,
    AfterValidator(_check_cidr),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": 43,
            "x-kubernetes-validations": [
                {"rule": "isCIDR(self)", "message": "write an address range such as 10.20.0.0/16"},
            ],
        }
    ),
]


class AllowedPeer(Part):
    """Addresses outside the cluster that a restricted agent may reach."""

    cidr: Cidr = Field(description="An address range, such as 10.20.0.0/16.")
    ports: Annotated[tuple[Annotated[Whole, Field(ge=1, le=65535)], ...], Field(max_length=32)] = Field(
        default=(), description="TCP ports; left out, all of them."
    )


class Network(Part):
    """What the agent can reach."""

    mode: NetworkMode = Field(
        default="restricted",
        description="open: everything; restricted: the validation service, the gateway and what allow lists; "
        "none: the validation service only.",
    )
    allow: Annotated[tuple[AllowedPeer, ...], Field(max_length=64)] = Field(
        default=(), description="More that a restricted agent may reach."
    )

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "self.mode == 'restricted' || !has(self.allow) || size(self.allow) == 0",
            "allow goes with mode: restricted only; set that mode or leave allow out",
            lambda self: self["mode"] == "restricted" or not self["allow"],
        ),
    )


class ExperimentRunSpec(Part):
    """What to run. Left out, a field has the value of the benchmark's published setting."""

    benchmark: Benchmark = Field(
        default="v1", description="v1 grades as the published leaderboard does; v2 has its known defects fixed."
    )
    competitions: Competitions = Field(description="Which competitions to run.")
    seeds: Annotated[Whole, Field(ge=1, le=100)] = Field(
        default=3, description="How often each competition is run, with seeds 0, 1, 2 and so on."
    )
    agent: Agent = Field(description="What is being measured.")
    models: Models | None = Field(
        default=None, description="Language models, through the gateway; left out, the run gets no model key."
    )
    budget: Budget = Field(default=Budget(), description="What a run may use up.")
    resources: Resources = Field(default=Resources(), description="The hardware of one run.")
    placement: Placement = Field(default=Placement(), description="Which nodes the agents run on.")
    parallelism: Annotated[Whole, Field(ge=0, le=10_000)] = Field(
        default=32, description="Agents that run at once; 0: as many as there is room for."
    )
    retries: Retries = Field(default=Retries(), description="How often a run is tried again.")
    snapshots: Snapshots = Field(default=Snapshots(), description="Copies of the submission over time.")
    network: Network = Field(default=Network(), description="What the agent can reach.")
    suspend: Flag = Field(
        default=False,
        description="Whether to hold: nothing new starts, running attempts end with a snapshot and go on later.",
    )
    ttl_after_finished: Duration = Field(
        default=timedelta(hours=168), description="How long finished Jobs are kept; results stay in the store."
    )
