"""The nouns of an experiment, frozen: what the decisions of this package take and return.

An experiment expands into runs (a competition and a seed). A run is tried in attempts, numbered from 1. An attempt is
carried out by one agent task; a graded one is read by a grade task. A task is a Job on Kubernetes, a process here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus


class Role(StrEnum):
    PREPARE = "prepare"
    AGENT = "agent"
    GRADE = "grade"


class RunKey(NamedTuple):
    """One run of an experiment."""

    competition: str
    seed: int

    def attempt(self, number: int) -> AttemptKey:
        return AttemptKey(self.competition, self.seed, number)


class AttemptKey(NamedTuple):
    """One attempt of one run."""

    competition: str
    seed: int
    attempt: int

    @property
    def run(self) -> RunKey:
        return RunKey(self.competition, self.seed)


@dataclass(frozen=True)
class Experiment:
    """An ExperimentRun as a reconcile finds it."""

    namespace: str
    name: str
    uid: str
    generation: int
    created_at: datetime
    spec: ExperimentRunSpec
    status: ExperimentRunStatus
    is_deleted: bool = False
    retry_after: Mapping[RunKey, int] = field(default_factory=dict)
    """Runs that a person asked to retry, with the number of the attempt that the wish refers to (0: none was made)."""
    retry_asked_at: datetime | None = None
    """When that was: older tries to prepare their datasets or to grade them no longer count."""
    cancelled: bool = False
    """A person ended it: nothing new starts, running agents are stopped, what was collected is still graded."""


@dataclass(frozen=True)
class CompetitionFacts:
    """What the decisions need to know of a competition; the catalog has the rest."""

    id: str
    splits: frozenset[str]
    size_gb: float


class TaskPhase(StrEnum):
    """How far a task has come. The last two are final."""

    QUEUED = "Queued"
    STAGING = "Staging"
    RUNNING = "Running"
    COLLECTING = "Collecting"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"

    @property
    def is_final(self) -> bool:
        return self in (TaskPhase.SUCCEEDED, TaskPhase.FAILED)


class Ending(StrEnum):
    """How the place where a task ran saw it end, where that is not a plain exit."""

    IMAGE_PULL = "ImagePull"
    STAGING = "Staging"
    NOT_ISOLATED = "NetworkNotIsolated"
    OOM_KILLED = "OOMKilled"
    DISK_FULL = "DiskFull"
    """It used more disk than it may and was ended for that at once; a node that is short of disk is a disruption."""
    DISRUPTED = "Disrupted"
    """Evicted, preempted or drained: the platform says that it was not the task's doing."""
    DELETED = "Deleted"
    """The pod or process is gone and nobody says why."""
    NODE_LOST = "NodeLost"
    DEADLINE = "Deadline"
    """The far backstop ended it, not the courier's clock."""
    STORE_UNAVAILABLE = "StoreUnavailable"
    """The task itself said that it could not reach the store."""
    STOPPED = "Stopped"
    """We stopped it: suspended, cancelled or deleted."""
    NOT_CONFIGURED = "NotConfigured"
    """A Secret or ConfigMap that the spec names is not there, so the agent can't start."""


@dataclass(frozen=True)
class Task:
    """One task as its cluster reports it."""

    name: str
    role: Role
    competition: str
    seed: int | None
    attempt: int
    """Of an agent task the run's attempt; of a prepare or grade task its own count of tries."""
    phase: TaskPhase
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    exit_code: int | None = None
    ending: Ending | None = None
    """Of an agent task that is not final: it can't go on, and holds its place until it is stopped."""
    message: str = ""
    node: str | None = None
    unreachable_since: datetime | None = None
    """Since when it looks as if its node were gone; None while all is well."""
    changes_at: datetime | None = None
    """When it may look different although nobody reports anything, such as a pod that is overdue; None: never."""
    try_again: bool = True
    """False: the task itself says that trying again changes nothing until somebody acts."""
    image_id: str | None = None
    """The image that its container really runs, with its digest, as the platform tells."""
    requeued: bool = False
    """It had been let go before, and its queue has taken it back."""
    is_noted: bool = False
    """Whether how it ended is written down, so that its pod is not needed any more to tell it."""
    asked_by: str = ""
    """Of a prepare task, which belongs to every experiment that needs its dataset: the uid of the one that began it."""


@dataclass(frozen=True)
class AttemptRecord:
    """What run.json says of an attempt whose files the courier has collected."""

    exit_code: int | None
    deadline_reached: bool
    interrupted: bool
    """Stopped from outside (suspended, preempted with notice) before it was done."""
    has_submission: bool
    consumed_seconds: float
    """Of the run's budget: this attempt's own time and, where it resumed, that of the attempts before it."""
    out_of_memory: bool = False
    model_budget_spent: bool = False


class Fault(StrEnum):
    """Whose fault a failure is."""

    AGENT = "agent"
    INFRASTRUCTURE = "infrastructure"
    PROVIDER = "provider"
    USER = "user"
    US = "us"


class Verdict(StrEnum):
    """What follows from how an attempt ended."""

    GRADE = "grade"
    RETRY = "retry"
    FAIL = "fail"


@dataclass(frozen=True)
class Outcome:
    """The controller's judgement of an attempt: outcome.json, written once, so that history outlives the Jobs."""

    verdict: Verdict
    reason: str | None = None
    """From the closed list of `failures.py`; None when nothing went wrong."""
    message: str = ""
    consumed_seconds: float = 0.0
    """Of the run's budget, as in the attempt's record or clock, frozen here."""
    counts: bool = True
    """Whether it uses up one of the spec's retries."""
    saved: int | None = None
    """The attempt whose folders a resuming agent gets back: this one, or an earlier one if this one saved nothing."""
    lost_time: bool = False
    """Whether a machine took work of the agent with it that its clock had counted, here or before it resumed here."""
    node: str | None = None
    """Where it ran, as the platform told."""
    image_id: str | None = None
    """The agent's image with its digest, as the platform told: what a tag stood for at that moment."""


@dataclass(frozen=True)
class GradedRun:
    """What a run's report says, as far as decisions and the status need it."""

    attempt: int
    score: float | None
    medal: str | None
    valid: bool
    above_median: bool
    reason: str | None = None
    """Why it is not valid, in the report's words."""
    submitted: bool = True
    """Whether there was a submission at all."""
    medals_over_time: tuple[tuple[float, str | None], ...] | None = None
    """The minute and the medal of each snapshot that was graded; None: not known."""


@dataclass(frozen=True)
class Headway:
    """How far a prepare task is, as it says itself now and then."""

    step: str
    """download, verify, unpack, keep, prepare or pack."""
    done_bytes: int | None = None
    total_bytes: int | None = None


@dataclass(frozen=True)
class Seen:
    """Everything a reconcile has read before it starts to think.

    Tasks are read before the store. A task ends after it has written its last word, so an ended task without a record
    (or a report) has lost it; read the other way round, the record could have come in between.
    """

    tasks: tuple[Task, ...] = ()
    prepared: frozenset[str] = frozenset()
    """Competitions whose dataset and answers are both in the stores."""
    headway: Mapping[str, Headway] = field(default_factory=dict)
    """How far the prepare task of a competition is, where it has said so."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Competitions that wait to be prepared and whose rules nobody has accepted, each with a sentence."""
    records: Mapping[AttemptKey, AttemptRecord] = field(default_factory=dict)
    outcomes: Mapping[AttemptKey, Outcome] = field(default_factory=dict)
    clocks: Mapping[AttemptKey, float] = field(default_factory=dict)
    """Consumed seconds, as in `AttemptRecord`, of attempts that left a clock; one that died early has none.

    Needed of attempts without an outcome, and of those that an outcome names as `saved`.
    """
    heard: Mapping[AttemptKey, datetime] = field(default_factory=dict)
    """When the clock of an attempt without an outcome was last known to be written: its courier was alive then."""
    saved: frozenset[AttemptKey] = frozenset()
    """Attempts whose folders (code.tar) are in the store, from a snapshot or from the end."""
    reports: Mapping[RunKey, GradedRun] = field(default_factory=dict)
    report_is_published: bool = False
    published_digest: str | None = None
    """The digest that the published report was made with (`Publish.digest`); another one now: publish again."""
    report_url: str | None = None
    """Where the published report is, for the status."""


@dataclass(frozen=True)
class Start:
    """Create a task. Its name derives from what it is, so doing it twice is harmless."""

    name: str
    role: Role
    competition: str
    seed: int | None = None
    attempt: int = 1
    budget_seconds: float = 0.0
    """Agent tasks: what is left of the run's clock."""
    consumed_seconds: float = 0.0
    resume_from: int | None = None
    """Agent tasks: the attempt whose folders this one gets back."""
    grades_attempt: int | None = None
    """Grade tasks: the attempt whose submission is graded."""
    out_of_memory: int = 0
    """Prepare tasks: how many tries ran out of memory; each makes the next ask for twice as much."""
    version: str = ""
    """Prepare tasks: the benchmark's version that the dataset is of."""
    asked_by: str = ""
    """Prepare tasks: the uid of the experiment that begins it. Others that need the dataset wait for the same task."""
    ahead: tuple[str, ...] = ()
    """Prepare tasks: competitions that come later, so that their rules are asked for before anything is fetched."""


@dataclass(frozen=True)
class Note:
    """Write down how a task ended: its pod tells it, and may be gone at the next look."""

    name: str
    ending: Ending | None
    message: str
    try_again: bool


@dataclass(frozen=True)
class Stop:
    """End a task with notice: the agent's folders are collected before it goes."""

    name: str
    why: str


@dataclass(frozen=True)
class Remove:
    """Delete what is left of a task that has ended."""

    name: str


@dataclass(frozen=True)
class Judge:
    """Write down how an attempt ended, before anything follows from it."""

    key: AttemptKey
    outcome: Outcome


@dataclass(frozen=True)
class Publish:
    """Write the experiment's report from the reports of its runs."""

    digest: str = ""
    """Stands for the results that it tells of; kept with the report, it shows whether the report is still true."""


Action = Judge | Note | Stop | Start | Publish | Remove


@dataclass(frozen=True)
class Event:
    """Something a person watching would like to be told once."""

    reason: str
    message: str
    is_warning: bool = False


@dataclass(frozen=True)
class Plan:
    """What a reconcile decided: the actions in order, then the status, then the events."""

    actions: tuple[Action, ...]
    status: ExperimentRunStatus
    events: tuple[Event, ...] = ()
    requeue_after: timedelta | None = None
    """Look again then even if nothing is reported; None: nothing to wait for but news."""
