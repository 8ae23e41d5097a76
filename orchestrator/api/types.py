"""ExperimentRun: one experiment, from what is asked for to what came out. The other packages import types from here."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from orchestrator.api.agent import Agent, EnvFrom, EnvVar, EnvVarSource, KeyRef, Models, ObjectRef
from orchestrator.api.departures import departures
from orchestrator.api.hardware import Gpu, Placement, Resources, Toleration
from orchestrator.api.network import AllowedPeer, Network
from orchestrator.api.part import Model, Part, Rule
from orchestrator.api.spec import SPLITS, Budget, Competitions, ExperimentRunSpec, Retries, Snapshots
from orchestrator.api.status import (
    Condition,
    DatasetRow,
    ExperimentRunStatus,
    Figure,
    Phase,
    ResultRow,
    RunCounts,
    RunState,
    SplitFigures,
)
from orchestrator.api.values import Label, format_duration, parse_duration, parse_quantity

GROUP = "mlectl.dev"
VERSION = "v1alpha1"
API_VERSION: Literal["mlectl.dev/v1alpha1"] = "mlectl.dev/v1alpha1"
KIND: Literal["ExperimentRun"] = "ExperimentRun"

__all__ = [
    "API_VERSION",
    "GROUP",
    "KIND",
    "SPLITS",
    "VERSION",
    "Agent",
    "AllowedPeer",
    "Budget",
    "Competitions",
    "Condition",
    "DatasetRow",
    "EnvFrom",
    "EnvVar",
    "EnvVarSource",
    "ExperimentRun",
    "ExperimentRunSpec",
    "ExperimentRunStatus",
    "Figure",
    "Gpu",
    "KeyRef",
    "Metadata",
    "Model",
    "Models",
    "Network",
    "ObjectRef",
    "Part",
    "Phase",
    "Placement",
    "Resources",
    "ResultRow",
    "Retries",
    "Rule",
    "RunCounts",
    "RunState",
    "Snapshots",
    "SplitFigures",
    "Toleration",
    "departures",
    "format_duration",
    "parse_duration",
    "parse_quantity",
]


class Metadata(Model):
    """Which experiment: what Kubernetes and this project read of an object's metadata."""

    model_config = ConfigDict(extra="ignore")

    name: Label = Field(examples=["aide-lite"], description="Name of the experiment, unique in its namespace.")
    namespace: Label = Field(default="default", description="Namespace.")
    uid: str = Field(default="", description="Given at creation; keeps two experiments of one name apart.")
    generation: Annotated[int, Field(ge=0)] = Field(default=1, description="Counts the changes of the spec.")
    creation_timestamp: datetime | None = Field(default=None, description="When it was created.")
    deletion_timestamp: datetime | None = Field(default=None, description="When its deletion was asked for.")
    resource_version: str | None = Field(default=None, description="Kubernetes' mark of this version of the object.")
    annotations: dict[str, str] = Field(default={}, description="Notes for programs.")
    labels: dict[str, str] = Field(default={}, description="Labels to select by.")


class ExperimentRun(Model):
    """An agent's experiment on the benchmark: a run for each competition and seed, graded and reported."""

    api_version: Literal["mlectl.dev/v1alpha1"] = Field(default=API_VERSION, description="Version of this format.")
    kind: Literal["ExperimentRun"] = Field(default=KIND, description="What this object is.")
    metadata: Metadata = Field(examples=["{name: aide-lite}"], description="Which experiment.")
    spec: ExperimentRunSpec = Field(examples=["{competitions: …, agent: …}"], description="What to run.")
    status: ExperimentRunStatus = Field(
        default=ExperimentRunStatus(), description="How far it is, and what has come out."
    )
