"""What the controller writes under `status` of an ExperimentRun: how far it is, and what has come out."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, computed_field

from orchestrator.api.lists import listed_once
from orchestrator.api.part import Model


class Phase(StrEnum):
    """How far an experiment is, in one word."""

    PENDING = "Pending"
    PREPARING = "Preparing"
    RUNNING = "Running"
    GRADING = "Grading"
    SUCCEEDED = "Succeeded"
    DEGRADED = "Degraded"
    """Finished, but some runs have no result through no fault of the agent."""
    FAILED = "Failed"
    SUSPENDED = "Suspended"

    @property
    def is_finished(self) -> bool:
        return self in (Phase.SUCCEEDED, Phase.DEGRADED, Phase.FAILED)


class RunState(StrEnum):
    """How far a run is."""

    PENDING = "Pending"
    PREPARING = "Preparing"
    QUEUED = "Queued"
    STAGING = "Staging"
    RUNNING = "Running"
    COLLECTING = "Collecting"
    GRADING = "Grading"
    GRADED = "Graded"
    FAILED = "Failed"

    @property
    def is_finished(self) -> bool:
        return self in (RunState.GRADED, RunState.FAILED)


class StatusPart(Model):
    """Read leniently: a newer controller may have written more."""

    model_config = ConfigDict(extra="ignore")


class RunCounts(StatusPart):
    """Runs by state. Staging and collecting count as running."""

    total: int = Field(default=0, description="All runs of the experiment.")
    pending: int = Field(default=0, description="Not begun.")
    preparing: int = Field(default=0, description="Waiting for their dataset.")
    queued: int = Field(default=0, description="Waiting for room.")
    running: int = Field(default=0, description="Staging, running or collecting.")
    grading: int = Field(default=0, description="Being graded.")
    graded: int = Field(default=0, description="Done, with a report.")
    failed: int = Field(default=0, description="Ended without a result.")


class Figure(StatusPart):
    """A percentage over seeds."""

    mean: float = Field(description="Mean over complete seeds.")
    sem: float = Field(description="Standard error of the mean; 0 for one seed.")
    low95: float = Field(description="Lower end of the 95 % interval.")
    high95: float = Field(description="Upper end of the 95 % interval.")


class SplitFigures(StatusPart):
    """The figures of one split; absent while it has no complete seed."""

    complete_seeds: int = Field(default=0, description="Seeds in which every competition of the split has a result.")
    any_medal_percent: Figure | None = Field(
        default=None, description="Competitions with a medal: the headline figure."
    )
    gold_percent: Figure | None = Field(default=None, description="Competitions with a gold medal.")
    silver_percent: Figure | None = Field(default=None, description="Competitions with a silver medal.")
    bronze_percent: Figure | None = Field(default=None, description="Competitions with a bronze medal.")
    above_median_percent: Figure | None = Field(
        default=None, description="Competitions better than the median human team."
    )
    valid_percent: Figure | None = Field(default=None, description="Competitions with a valid submission.")


class ResultRow(StatusPart):
    """One run."""

    competition: str = Field(description="Id of the competition.")
    seed: int = Field(description="Seed, from 0.")
    state: RunState = Field(description="How far it is.")
    attempt: int = Field(default=0, description="Number of its last attempt; 0: none yet.")
    score: float | None = Field(default=None, description="Score of its submission.")
    medal: Literal["gold", "silver", "bronze"] | None = Field(default=None, description="Its medal, if it has one.")
    valid: bool | None = Field(default=None, description="Whether the submission was accepted.")
    reason: str | None = Field(default=None, description="Why it failed or has no score, from a closed list.")
    message: str | None = Field(default=None, description="What it waits for, if it has waited for some minutes.")


class DatasetRow(StatusPart):
    """One competition's dataset, which is prepared once for all experiments."""

    competition: str = Field(description="Id of the competition.")
    state: Literal["Waiting", "Preparing", "Unavailable"] = Field(
        description="Waiting for its turn, being prepared, or given up."
    )
    attempt: int = Field(default=0, description="Number of the last try, counted over all experiments; 0: none yet.")
    step: str | None = Field(
        default=None, description="What the try is at: download, verify, unpack, keep, prepare or pack."
    )
    done_bytes: int | None = Field(default=None, description="Bytes of that step that are done, where known.")
    total_bytes: int | None = Field(default=None, description="Bytes of that step in all, where known.")
    shared: bool = Field(default=False, description="Whether another experiment began to prepare it.")
    message: str = Field(default="", description="What the last try said: why it failed, or what it waits for.")


class Condition(StatusPart):
    """A statement about the experiment, in the form that Kubernetes tools read."""

    type: str = Field(description="What it is about: DatasetsReady, Progressing or Complete.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it holds.")
    reason: str = Field(default="", description="Why, in one word.")
    message: str = Field(default="", description="Why, in a sentence.")
    last_transition_time: datetime | None = Field(default=None, description="When it last changed.")
    observed_generation: int | None = Field(default=None, description="The generation of the spec that it is about.")


class ExperimentRunStatus(StatusPart):
    """How far the experiment is, and what has come out. Written by the controller alone."""

    phase: Phase = Field(default=Phase.PENDING, description="How far it is, in one word.")
    runs: RunCounts = Field(default=RunCounts(), description="Runs by state.")
    summary: dict[str, SplitFigures] = Field(default={}, description="Figures by split.")
    results: tuple[ResultRow, ...] = Field(
        default=(), description="At most 1,000 runs, unfinished and failed ones first; report.json has all of them."
    )
    datasets: tuple[DatasetRow, ...] = Field(
        default=(), description="At most 100 datasets that are not ready, those that were given up first."
    )
    report: str | None = Field(default=None, description="Where the report is.")
    conditions: Annotated[tuple[Condition, ...], listed_once(lambda condition: condition.type, key="type")] = Field(
        default=(), description="DatasetsReady, Progressing, Complete."
    )
    observed_generation: int = Field(default=0, description="The generation of the spec that this status is about.")
    started_at: datetime | None = Field(default=None, description="When the first task started.")
    finished_at: datetime | None = Field(default=None, description="When the experiment ended.")

    @computed_field(description="Graded runs of all runs, for the eyes: 41/66.")  # type: ignore[prop-decorator]
    @property
    def progress(self) -> str:
        return f"{self.runs.graded}/{self.runs.total}"

    @computed_field(description="The headline figure for the eyes: 36.4 ± 1.5.")  # type: ignore[prop-decorator]
    @property
    def any_medal(self) -> str | None:
        figure = self.headline.any_medal_percent if self.headline else None
        return f"{figure.mean:.1f} ± {figure.sem:.1f}" if figure else None

    @property
    def headline_split(self) -> str | None:
        """The widest split that was run: its figure stands for the experiment."""
        return next((split for split in ("all", "selected", *self.summary) if split in self.summary), None)

    @property
    def headline(self) -> SplitFigures | None:
        """The figures of that split."""
        return self.summary[self.headline_split] if self.headline_split else None
