"""ExperimentResult: all that a report says about one experiment, frozen. `report.json` is this, written down.

`collect.py` makes one from a store; text, HTML, leaderboard and comparison only read it. Every figure and every word
that they show is decided here or before, so that no two of them can tell different stories.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.api.types import ExperimentRunSpec, Figure, RunState

Medal = Literal["gold", "silver", "bronze"]
SCHEMA: Literal["mlectl.dev/report/v1"] = "mlectl.dev/report/v1"


class Piece(BaseModel):
    """Frozen; numbers are finite; a key that a later version adds is no reason to refuse the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, populate_by_name=True)


class Facts(Piece):
    """What the catalog knew of a competition when the result was collected."""

    id: str
    name: str
    complexity: str
    category: str = ""
    metric: str = ""
    lower_is_better: bool
    gold: float
    silver: float
    bronze: float
    median: float
    teams: int = 0
    is_demo: bool = False
    doubtful: str | None = None
    """Why its score is doubtful in the experiment's version of the benchmark; None where nothing is known."""


class Snapshot(Piece):
    """The submission as it was so many minutes into the agent's time, graded afterwards."""

    minutes: float
    score: float | None = None
    medal: Medal | None = None
    valid: bool | None = None
    """None: it could not be graded, and says nothing."""
    reason: str | None = None


class Attempt(Piece):
    """One try of a run, and why it ended."""

    attempt: int
    verdict: str | None = None
    """What followed: grade, retry or fail; None while it has not been judged."""
    reason: str | None = None
    message: str = ""
    consumed_seconds: float = 0.0


class RunRow(Piece):
    """One run: a competition and a seed."""

    competition: str
    seed: int
    state: RunState
    counts: bool = False
    """Whether it has a result. A rejected or absent submission is one (nothing won); a lost machine is none."""
    attempt: int = 0
    """The attempt that counts; 0: none yet."""
    attempts: tuple[Attempt, ...] = ()
    submitted: bool = False
    valid: bool | None = None
    score: float | None = None
    medal: Medal | None = None
    above_median: bool = False
    percentile: float | None = None
    """The share of human teams, in percent, that the score beats."""
    reason: str | None = None
    """Why it failed or has no score, from a closed list."""
    message: str = ""
    fault: str | None = None
    snapshots: tuple[Snapshot, ...] = ()
    consumed_seconds: float | None = None
    cost_usd: float | None = None
    validations: int | None = None
    warnings: tuple[str, ...] = ()
    submission_sha256: str | None = None
    graded_at: str | None = None


class Missing(Piece):
    """A seed that a figure leaves out, or pads, and the competitions that it has no result for."""

    seed: int
    competitions: tuple[str, ...]


class SplitResult(Piece):
    """The figures of one split."""

    split: str
    """A published split, `demo`, or `selected`: the competitions that the experiment chose."""
    competitions: tuple[str, ...]
    counted_seeds: tuple[int, ...] = ()
    """Seeds in the figures: the complete ones, or with padding all of them."""
    per_seed: tuple[float, ...] = ()
    """Any-medal percentage of each of them, in that order."""
    any_medal: Figure | None = None
    gold: Figure | None = None
    silver: Figure | None = None
    bronze: Figure | None = None
    above_median: Figure | None = None
    valid: Figure | None = None
    submitted: Figure | None = None
    missing: tuple[Missing, ...] = ()
    padded: bool = False
    """Whether missing competitions are in the figures as failures."""


class Doubt(Piece):
    """A competition that the second number leaves out."""

    competition: str
    why: str


class FailedAttempt(Piece):
    """One thing that went wrong, and what became of the run."""

    competition: str
    seed: int
    attempt: int
    message: str = ""
    effect: str
    """`no result`, `counted as a failure`, `graded on what it left`, `tried again` or `still open`."""


class FailureClass(Piece):
    """Everything that went wrong for one reason."""

    reason: str
    fault: str
    meaning: str
    what_to_do: str
    attempts: tuple[FailedAttempt, ...]


class WhatRan(Piece):
    """What the run records say was run; a tuple has one value where all runs agree."""

    agent: str
    images: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """Names of the variables that the spec gives the agent; their values are not passed on."""
    benchmark: str = "v1"
    mlectl_versions: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    isolation: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    datasets: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Digest of each competition's dataset; more than one where it changed between runs."""
    models: tuple[str, ...] = ()
    started_at: str | None = None
    ended_at: str | None = None


class ExperimentResult(Piece):
    """Everything about one experiment that is worth telling."""

    schema_: Literal["mlectl.dev/report/v1"] = Field(default=SCHEMA, alias="schema")
    namespace: str
    name: str
    uid: str
    spec: dict[str, Any]
    """As it was written, without the values of environment variables."""
    seeds: int
    competitions: tuple[Facts, ...]
    rows: tuple[RunRow, ...]
    figures: tuple[SplitResult, ...]
    """The official numbers: every competition of a split."""
    figures_without_doubtful: tuple[SplitResult, ...] = ()
    """The second numbers: without the competitions of `doubtful`. Empty where none of them was run."""
    doubtful: tuple[Doubt, ...] = ()
    departures: tuple[str, ...] = ()
    unprotected: bool = False
    """Whether any agent ran without being kept apart from the machine: never show a figure without that word."""
    failures: tuple[FailureClass, ...] = ()
    ran: WhatRan
    notes: tuple[str, ...] = ()
    results_digest: str = ""
    """Stands for the results that it tells of, as whoever asked for the report counts them."""

    @property
    def is_demo(self) -> bool:
        """Whether made-up medal lines are in it."""
        return any(facts.is_demo for facts in self.competitions)

    @property
    def is_complete(self) -> bool:
        return all(row.counts for row in self.rows)

    @property
    def consumed_seconds(self) -> float:
        """Agents' time of all runs together, as far as it is recorded."""
        return sum(row.consumed_seconds or 0.0 for row in self.rows)

    @property
    def cost_usd(self) -> float | None:
        """What the models of all runs cost; None where nobody metered it."""
        costs = [row.cost_usd for row in self.rows if row.cost_usd is not None]
        return sum(costs) if costs else None

    @property
    def budget_hours(self) -> float:
        return ExperimentRunSpec.model_validate(self.spec).budget.wall_clock.total_seconds() / 3600

    def facts(self, competition: str) -> Facts:
        return next(facts for facts in self.competitions if facts.id == competition)
