"""Work orders: what a worker process or container is told, as JSON: `mlectl worker ROLE --order FILE`, or in pods
`--order env:NAME` for a variable of the environment.

Whoever creates a task (the local cluster, the Kubernetes adapter) writes the orders; the workers know nothing else.
Orders of what runs beside an agent (stage, courier) hold URLs presigned for that one attempt and no credentials.
Orders of prepare, grade and validation name stores by URL; credentials, where a store wants them, are in the
environment of that process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Order(BaseModel):
    """Common to all orders: unknown keys are refused, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Stores(Order):
    """The three stores by URL: `file:///path` or `s3://bucket/prefix?endpoint=https://host:port&region=r`."""

    public: str
    private: str
    runs: str


class Desk(Order):
    """Where a worker beside an agent gets its URLs when it starts: the validation service, shown a run token."""

    url: str
    token: str


class PrepareOrder(Order):
    """Fetch a competition's raw files if they are not there, prepare them, and pack both halves into the stores."""

    competition: str
    version: str
    stores: Stores
    raw: Path
    """Folder of raw files, kept between tries; fetched into if it is empty."""
    scratch: Path
    keep_archive: bool = False
    """Keep what was downloaded in the private store until the competition is prepared: in a pod, whose folders go with
    it, the next try goes on from there."""
    ahead: tuple[str, ...] = ()
    """Competitions that come later, and whose rules are asked for now."""


class StageOrder(Order):
    """Bring a public dataset, and what an earlier attempt left, into the agent's folders."""

    competition: str
    version: str
    desk: Desk | None = None
    """In a pod: whom to ask for `manifest`, `shards` and `restore`."""
    resume_from: int | None = None
    """With `desk`: the attempt of this run whose folders to put back."""
    private: Path | None = None
    """A folder of stage, probe and courier that the agent does not see, for what they know of each other."""
    manifest: str = ""
    """URL of the dataset's manifest."""
    shards: dict[str, str] = Field(default_factory=dict)
    """URL of each shard by its name in the manifest."""
    data: Path
    cache: Path | None = None
    """A folder that stagings share: shards that are there are not fetched (`shard_cache.py`)."""
    cache_bytes: int = 0
    """How much it may hold."""
    control: Path
    """Shared folder of stage, courier and launcher; the launcher script is put there."""
    instructions: Path
    """Where the task text goes."""
    restore: dict[str, str] = Field(default_factory=dict)
    """URLs of an earlier attempt's `code.tar`, `logs.tar` and `submission.csv`, for an agent that resumes."""
    submission: Path
    code: Path
    logs: Path
    home: str = "/home"
    """The folder that the agent itself sees these four below, for the task text."""
    time_limit_seconds: float | None = None
    """What is left of the agent's time; None: the task text leaves it to TIME_LIMIT_SECS."""
    hardware: str = ""
    """What the agent has, in words; empty: the task text leaves it to HARDWARE."""
    validation_url: str = "http://localhost:5000"
    """Where the agent reaches the courier."""


class CourierOrder(Order):
    """Keep the clock, answer validations, copy snapshots, collect."""

    competition: str
    seed: int
    attempt: int
    version: str
    budget_seconds: float
    """What is left of the agent's time."""
    consumed_seconds: float = 0.0
    """What earlier attempts used of it (an agent that resumes)."""
    grace_seconds: float = 60.0
    snapshot_every_seconds: float
    keep_state: bool = False
    """Upload code and logs with each snapshot too, so that a later attempt can go on from there."""
    submission: Path
    code: Path
    logs: Path
    control: Path
    scratch: Path | None = None
    """The courier's own folder, which must survive its restarts and be out of the agent's reach (it holds the clock and
    the submission that counts); None: `courier` beside the control folder."""
    listen: str = "127.0.0.1:5000"
    """host:port, or `fd:N` for a listening socket that was handed in."""
    validation: str | None = None
    """Base URL of the validation service (`http://…` or `unix:/path`); None: there is none, and agents are told so."""
    token: str = ""
    desk: Desk | None = None
    """In a pod: whom to ask for `uploads`, again when they are about to expire."""
    private: Path | None = None
    """As in StageOrder."""
    notice: str | None = None
    """host:port where the platform says that this pod is about to go (a preStop hook; `notice_path` is its path)."""
    uploads: dict[str, str] = Field(default_factory=dict)
    """URL to PUT each file of the attempt to, by its name below the attempt's prefix (`submission.csv`, `clock.json`,
    `run.json`, `code.tar`, `logs.tar`, `logs/agent.log`, `snapshots/<minutes>/submission.csv`)."""
    patience_seconds: float = 6 * 3600.0
    """How long to keep trying to send what the agent left, if the store does not answer."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """What is known before the start and belongs in run.json: image, command, agent, dataset digest, versions,
    isolation, network, resources, departures from the published setting."""


class ProbeOrder(Order):
    """Prove, before the clock starts, that what must be blocked is blocked."""

    desk: Desk
    """Asked whether the canary answers at all: an address that nobody reaches proves nothing."""
    canary: str | None
    """host:port."""
    blocked: tuple[str, ...] = ()
    """More host:port that must not answer."""
    hold_seconds: float = 5.0
    """How long all must stay blocked."""
    patience_seconds: float = 120.0
    """How long to wait for the network plug-in to get that far."""
    private: Path
    """Where the proof goes, for the run's record."""


class CanaryOrder(Order):
    """Answer everybody: whoever gets an answer is not held by a policy."""

    listen: str


class BucketsOrder(Order):
    """Make the buckets of these stores, where there are none yet."""

    stores: Stores


class GradeOrder(Order):
    """Grade the submission of one attempt, and its snapshots, and write the run's report."""

    competition: str
    seed: int
    attempt: int
    version: str
    stores: Stores
    experiment: str
    """Prefix of the experiment in the runs store."""
    grade_snapshots: bool = True
    scratch: Path
    memory_bytes: int | None = None
    """What grading may use; None: most of what this machine or container has."""
    time_limit_seconds: float = 4 * 3600.0
    """For one submission."""


class ValidationOrder(Order):
    """Serve validations of submissions for the runs whose tokens it can check."""

    stores: Stores
    listen: str
    """`host:port` or `unix:/path`."""
    secret: str = ""
    """Key of the HMAC that makes run tokens."""
    secret_file: Path | None = None
    """File with that key, instead of `secret`."""
    scratch: Path
    per_minute: int = 30
    """Validations a run may ask for in a minute."""
    urls_per_minute: int = 60
    """How often an attempt may ask for URLs, or for the canary, in a minute."""
    urls_last_seconds: float = Field(default=12 * 3600.0, ge=1, le=7 * 24 * 3600)
    """Lifetime of the URLs that are handed out to the workers beside an agent; they ask again before its end."""
    canary: str | None = None
    """host:port of the canary, which the service dials when a probe asks whether it answers."""
    at_once: int = 2
    """Validations that are carried out at the same time; the others wait."""
    memory_bytes: int | None = None
    """What one validation may use; None: its share of what this machine or container has."""
    time_limit_seconds: float = 600.0
    """For one validation."""


class DoctorOrder(Order):
    """Look around in a pod for `mlectl doctor`; what is left out is not looked at."""

    stores: Stores | None = None
    """Try what this identity may do in each."""
    nonce: str = "0"
    """Names the objects that are written there, and removed again."""
    measured_bytes: int = 0
    """How much is sent to the runs store and fetched again, to see how fast that is."""
    clocks: bool = False
    """Compare the pod's clock with the API server's and the store's."""
    kaggle: tuple[str, ...] | None = None
    """Competitions whose rules must be accepted; none of them: look for credentials alone."""
    version: str = "v1"
    """Of the benchmark: what is prepared already needs no rules."""
    canary: str | None = None
    """host:port of the canary: whether it is reached."""
    must_reach: tuple[str, ...] = ()
    """host:port of what an agent's pod has to reach."""
    must_trust: str | None = None
    """URL of a server whose certificate an agent's pod has to trust."""
    hold_seconds: float = 0.0
    """Of a pod that is to be held by a policy: how long the canary must stay out of reach."""
    patience_seconds: float = 60.0
    """How long to wait for that, or for a connection."""
