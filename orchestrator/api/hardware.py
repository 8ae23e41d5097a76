"""What a run runs on: its resources, and the nodes that may give them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from orchestrator.api.part import Part, Rule
from orchestrator.api.values import Bytes, Cpu, Label, ObjectName, Text, Whole

LabelKey = Annotated[str, Field(strict=True, min_length=1, max_length=317)]
LabelValue = Annotated[str, Field(strict=True, max_length=63)]


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
