"""The closed list of reasons why a run failed or was tried again: what each means, whose fault it is, what to do.

Events, `mlectl failures` and the docs print these rows; nobody words a failure a second time. A reason whose fault is
the agent's ends in a result (no medal); any other leaves the run without one, and is never counted as a zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.model import Fault


class Reason(StrEnum):
    """One word for why an attempt or a run went wrong."""

    IMAGE_PULL = "ImagePull"
    STAGING = "Staging"
    NETWORK_NOT_ISOLATED = "NetworkNotIsolated"
    NODE_LOST = "NodeLost"
    DISRUPTED = "Disrupted"
    POD_DELETED = "PodDeleted"
    STORE_UNAVAILABLE = "StoreUnavailable"
    FILES_LOST = "FilesLost"
    TIME_LOST = "TimeLost"
    DATASET_UNAVAILABLE = "DatasetUnavailable"
    GRADER_ERROR = "GraderError"
    OOM_KILLED = "OOMKilled"
    DISK_FULL = "DiskFull"
    DEADLINE_WITHOUT_SUBMISSION = "DeadlineWithoutSubmission"
    NO_SUBMISSION = "NoSubmission"
    INVALID_SUBMISSION = "InvalidSubmission"
    AGENT_ERROR = "AgentError"
    MODEL_BUDGET_SPENT = "ModelBudgetSpent"
    NOT_CONFIGURED = "NotConfigured"
    SUSPENDED = "Suspended"
    CANCELLED = "Cancelled"


@dataclass(frozen=True)
class Failure:
    """One row of the list."""

    reason: Reason
    fault: Fault
    meaning: str
    what_to_do: str


_ROWS = (
    Failure(
        Reason.IMAGE_PULL,
        Fault.INFRASTRUCTURE,
        "The agent's image could not be pulled.",
        "Check spec.agent.image and the pull secret of the namespace; then retry the run.",
    ),
    Failure(
        Reason.STAGING,
        Fault.INFRASTRUCTURE,
        "The dataset could not be brought to the agent's pod whole.",
        "Look at the log of the stage container: a full disk, a store out of reach or a broken shard; then retry.",
    ),
    Failure(
        Reason.NETWORK_NOT_ISOLATED,
        Fault.INFRASTRUCTURE,
        "The agent could have reached what spec.network forbids, so it was not started.",
        "Install a network plug-in that enforces NetworkPolicy, or choose network: {mode: open}; then retry.",
    ),
    Failure(
        Reason.NODE_LOST,
        Fault.INFRASTRUCTURE,
        "The node that the attempt ran on was not heard of for too long.",
        "Nothing while retries are left: a new attempt starts on another node. Afterwards, retry the run.",
    ),
    Failure(
        Reason.DISRUPTED,
        Fault.INFRASTRUCTURE,
        "The platform took the attempt off its node: preempted, evicted or drained.",
        "Nothing while retries are left. Where it happens often, set agent.resume or a priorityClassName.",
    ),
    Failure(
        Reason.POD_DELETED,
        Fault.INFRASTRUCTURE,
        "The attempt's pod or process is gone and nobody said why.",
        "Nothing while retries are left. Find out who deletes pods in this namespace; then retry the run.",
    ),
    Failure(
        Reason.STORE_UNAVAILABLE,
        Fault.INFRASTRUCTURE,
        "The attempt could not reach the store.",
        "Check the store with `mlectl doctor`; then retry the run.",
    ),
    Failure(
        Reason.FILES_LOST,
        Fault.INFRASTRUCTURE,
        "The attempt ended, but what it left never reached the store.",
        "Nothing while retries are left. Afterwards, look at the courier's log and retry the run.",
    ),
    Failure(
        Reason.TIME_LOST,
        Fault.INFRASTRUCTURE,
        "A lost machine took work with it, and the agent's clock ended before it had caught up and left a submission.",
        "Nothing while retries are left: the run starts over with the full budget. Shorter snapshots.every loses less.",
    ),
    Failure(
        Reason.DATASET_UNAVAILABLE,
        Fault.PROVIDER,
        "The competition's dataset could not be fetched or prepared.",
        "Run `mlectl prepare -c COMPETITION`: it says what is missing, such as rules to accept; then retry the run.",
    ),
    Failure(
        Reason.GRADER_ERROR,
        Fault.US,
        "The submission is safe in the store, but grading it failed.",
        "Retry the run: it is graded again, the agent does not run again. If it stays, report the grader's log.",
    ),
    Failure(
        Reason.OOM_KILLED,
        Fault.AGENT,
        "The agent, or a process of its own, was killed because it used more memory than spec.resources.memory.",
        "Give the agent more memory, or have it use less. What it had submitted by then was graded.",
    ),
    Failure(
        Reason.DISK_FULL,
        Fault.AGENT,
        "The agent's pod was evicted because it used more disk than spec.resources.storage.",
        "Give the agent more storage, or have it write less. The last snapshot of its submission was graded.",
    ),
    Failure(
        Reason.DEADLINE_WITHOUT_SUBMISSION,
        Fault.AGENT,
        "The agent used its whole budget and left no submission.csv.",
        "Have the agent write a first submission early and improve it as it goes.",
    ),
    Failure(
        Reason.NO_SUBMISSION,
        Fault.AGENT,
        "The agent ended by itself and left no submission.csv.",
        "Look at the agent's log; the file belongs at /home/submission/submission.csv.",
    ),
    Failure(
        Reason.INVALID_SUBMISSION,
        Fault.AGENT,
        "The submission was rejected; the report says which rule it broke.",
        "Have the agent check its file at the validation endpoint before it ends.",
    ),
    Failure(
        Reason.AGENT_ERROR,
        Fault.AGENT,
        "The agent ended with an error.",
        "Look at the agent's log. What it had submitted by then was graded.",
    ),
    Failure(
        Reason.MODEL_BUDGET_SPENT,
        Fault.AGENT,
        "The run spent all of models.maxCostPerRun.",
        "Raise models.maxCostPerRun, or have the agent spend less. What it had submitted by then was graded.",
    ),
    Failure(
        Reason.NOT_CONFIGURED,
        Fault.USER,
        "The agent can't start: a Secret or ConfigMap that spec.agent names, or a key of it, is not there.",
        "Create it in the experiment's namespace with every key that spec.agent asks for; then retry the run.",
    ),
    Failure(
        Reason.SUSPENDED,
        Fault.USER,
        "The attempt was stopped because the experiment was suspended.",
        "Nothing: after `mlectl resume` the run goes on in a new attempt.",
    ),
    Failure(
        Reason.CANCELLED,
        Fault.USER,
        "The experiment was cancelled before the run was done.",
        "Nothing, or `mlectl retry NAME`: it takes the cancellation back for all runs that it left out.",
    ),
)

FAILURES: Mapping[str, Failure] = {row.reason: row for row in _ROWS}
"""Every row by its reason, in the order in which a table shows them."""


def fault_of(reason: str) -> Fault:
    """Whose fault it is. A reason that only a newer version knows is not the agent's."""
    return FAILURES[reason].fault if reason in FAILURES else Fault.INFRASTRUCTURE


def is_agents(reason: str | None) -> bool:
    """Whether the reason is held against the agent: such a run has a result."""
    return reason is not None and fault_of(reason) is Fault.AGENT
