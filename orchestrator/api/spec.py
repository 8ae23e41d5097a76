"""What a person writes under `spec` of an ExperimentRun. The defaults are the published setting of the benchmark."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from orchestrator.api.agent import Agent, Models
from orchestrator.api.hardware import Placement, Resources
from orchestrator.api.lists import listed_once
from orchestrator.api.network import Network
from orchestrator.api.part import Part, Rule
from orchestrator.api.values import CompetitionId, Duration, Flag, Whole

Benchmark = Literal["v1", "v2"]
Split = Literal["lite", "low", "medium", "high", "all", "dev", "demo"]
SPLITS: tuple[str, ...] = get_args(Split)
LISTED_ONCE = listed_once(str)


class Competitions(Part):
    """Which competitions to run."""

    split: Split | None = Field(
        default=None, description="A split: lite (the same as low), medium, high, all, dev or demo; instead of ids."
    )
    ids: Annotated[tuple[CompetitionId, ...], Field(min_length=1, max_length=500), LISTED_ONCE] | None = Field(
        default=None, description="Competition ids, instead of a split."
    )
    exclude: Annotated[tuple[CompetitionId, ...], Field(max_length=500), LISTED_ONCE] = Field(
        default=(), description="Competition ids to leave out of the split or the ids."
    )

    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "has(self.split) != has(self.ids)",
            "name either a split or ids, for instance {split: lite} or {ids: [spaceship-titanic]}",
            lambda self: ("split" in self) != ("ids" in self),
        ),
    )


class Budget(Part):
    """What a run may use up."""

    wall_clock: Duration = Field(
        default=timedelta(hours=24), description="The agent's own time; staging and queueing do not count."
    )


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


class ExperimentRunSpec(Part):
    """What to run. Left out, a field has the value of the benchmark's published setting."""

    benchmark: Benchmark = Field(
        default="v1", description="v1 grades as the published leaderboard does; v2 has its known defects fixed."
    )
    competitions: Competitions = Field(examples=["{split: lite}"], description="Which competitions to run.")
    seeds: Annotated[Whole, Field(ge=0, le=100)] = Field(
        default=3,
        description="How often each competition is run, with seeds 0, 1, 2 and so on. 0: the datasets are prepared, "
        "and nothing is run.",
    )
    agent: Agent = Field(
        examples=["{name: aide, image: registry.example/aide:1.2}"], description="What is being measured."
    )
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
