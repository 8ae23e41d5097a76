"""What is being measured: the agent of an experiment, its environment and the models it may use."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from orchestrator.api.lists import listed_once
from orchestrator.api.part import Part, Rule
from orchestrator.api.values import EnvName, Flag, Label, Money, ObjectName, Text

Argument = Annotated[str, Field(strict=True, max_length=4096)]
ImageName = Annotated[Text, Field(max_length=512)]
ModelName = Annotated[Text, Field(max_length=128)]
NAMED_ONCE = listed_once(lambda variable: variable.name, key="name")


class KeyRef(Part):
    """One key of a Secret or a ConfigMap in the experiment's namespace."""

    name: ObjectName = Field(examples=["model-keys"], description="Name of the Secret or ConfigMap.")
    key: Annotated[Text, Field(max_length=253)] = Field(examples=["token"], description="Key in it.")
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

    name: EnvName = Field(examples=["MODEL"], description="Name of the variable.")
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

    name: ObjectName = Field(examples=["model-keys"], description="Name of the Secret or ConfigMap.")
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

    name: Label = Field(examples=["aide"], description="Label of the agent in reports, such as aide.")
    image: ImageName = Field(
        examples=["registry.example/aide:1.2"],
        description="Container image; on one machine the folder of a bundled agent answers to it.",
    )
    command: Annotated[tuple[Argument, ...], Field(min_length=1, max_length=64)] | None = Field(
        default=None, description="Command to start; left out it is bash /home/agent/start.sh."
    )
    args: Annotated[tuple[Argument, ...], Field(max_length=64)] = Field(
        default=(), description="Arguments of the command."
    )
    env: Annotated[tuple[EnvVar, ...], Field(max_length=64), NAMED_ONCE] = Field(
        default=(), description="Environment variables."
    )
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
        examples=["[gpt-x]"], description="Names of the models."
    )
    max_cost_per_run: Money | None = Field(
        default=None, description="US dollars that one run may spend; left out there is no limit."
    )
