"""Why an attempt ended: rules of one shape, in the order in which they are believed.

What the courier collected is believed first. If its record is there and the agent was done, the record alone tells
how it went, whatever became of the pod afterwards. Without it the files are lost or unfinished, and that is never held
against the agent: not an exit code, not even a kill for memory.

An agent that was killed for memory was done, by its own doing. Where the kernel kills its whole container, the launcher
dies with it; the courier can't know why it is told to end then, and its record says that it was interrupted. The
platform knows, and it says so only if the kill came before anybody told the pod to go.

One that used more disk than it may has ended by its own doing too. The platform gives nobody the time to collect it
then, so this alone is held against an agent without a record: the copies that were taken of its submission are what it
left, and the grader finds them (`worker/salvage.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from orchestrator.core.failures import FAILURES, Reason
from orchestrator.core.model import AttemptRecord, Ending, Task


@dataclass(frozen=True)
class Evidence:
    """All there is to go by when an attempt is judged."""

    task: Task | None
    """None: something of the attempt is in the store, but its task is gone."""
    record: AttemptRecord | None
    is_lost: bool = False
    """Whether nothing has been heard of it for too long."""
    cancelled: bool = False
    lost_time: bool = False
    """Whether the clock has counted work that a machine took with it, in an attempt that this one goes on from."""
    has_clock: bool = False
    """Whether the agent had begun."""

    @property
    def is_collected(self) -> bool:
        """Whether the agent was done and everything it left is in the store."""
        if self.record is None:
            return False
        return not self.record.interrupted or self.ending in (Ending.OOM_KILLED, Ending.DISK_FULL)

    @property
    def was_taken_back(self) -> bool:
        """Whether its queue has taken it back after the agent had begun. Let go again it would start from nothing, on a
        clock that has run: so it has ended, and what follows is another attempt. If it was let go before anybody
        looked, its second pod has failed at staging, where it gets nothing any more."""
        if self.task is None or not self.has_clock:
            return False
        return self.task.requeued or self.task.ending is Ending.STAGING

    @property
    def ending(self) -> Ending | None:
        return self.task.ending if self.task else Ending.DELETED


class Cause(NamedTuple):
    """Why an attempt ended as it did."""

    reason: Reason
    message: str


Rule = Callable[[Evidence], Cause | None]


def has_ended(seen: Evidence) -> bool:
    """Whether the attempt can be judged. One that was interrupted is judged once its task says by what.

    A task that can't go on has an ending before its phase is final: it is stopped once it was judged.
    """
    if seen.is_collected or seen.task is None or seen.task.phase.is_final or seen.is_lost:
        return True
    return seen.task.ending is not None or seen.was_taken_back


def diagnose(seen: Evidence) -> Cause | None:
    """The first rule that explains why an ended attempt went wrong, or None if nothing did."""
    return next((cause for rule in RULES if (cause := rule(seen))), None)


def cancelled(seen: Evidence) -> Cause | None:
    return _cause(Reason.CANCELLED) if seen.cancelled and not seen.is_collected else None


def stopped(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.STOPPED, Reason.SUSPENDED)


def image_not_pulled(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.IMAGE_PULL, Reason.IMAGE_PULL)


def not_configured(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.NOT_CONFIGURED, Reason.NOT_CONFIGURED)


def not_isolated(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.NOT_ISOLATED, Reason.NETWORK_NOT_ISOLATED)


def dataset_not_staged(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.STAGING, Reason.STAGING)


def node_lost(seen: Evidence) -> Cause | None:
    if seen.is_collected or seen.task is None:
        return None
    if seen.task.ending is Ending.NODE_LOST or seen.is_lost:
        return _cause(Reason.NODE_LOST, f"Node {seen.task.node or 'unknown'}. {seen.task.message}")
    return None


def taken_back(seen: Evidence) -> Cause | None:
    if seen.is_collected or not seen.was_taken_back:
        return None
    return _cause(Reason.DISRUPTED, "Its queue took it back.")


def disrupted(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.DISRUPTED, Reason.DISRUPTED)


def pod_deleted(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.DELETED, Reason.POD_DELETED)


def store_unavailable(seen: Evidence) -> Cause | None:
    return _from_ending(seen, Ending.STORE_UNAVAILABLE, Reason.STORE_UNAVAILABLE)


def disk_full(seen: Evidence) -> Cause | None:
    """Unless it was done and collected before."""
    was_done = seen.record is not None and not seen.record.interrupted
    return _cause(Reason.DISK_FULL, _said(seen)) if seen.ending is Ending.DISK_FULL and not was_done else None


def interrupted(seen: Evidence) -> Cause | None:
    """The courier was told to end while the agent worked, and the platform does not say by whom."""
    is_interrupted = seen.record is not None and seen.record.interrupted and not seen.is_collected
    return _cause(Reason.DISRUPTED, _said(seen)) if is_interrupted else None


def files_lost(seen: Evidence) -> Cause | None:
    """It ended in whatever way, and nothing was collected."""
    if seen.is_collected:
        return None
    exit_code = seen.task.exit_code if seen.task else None
    how = f"Ended as {seen.ending}." if seen.ending else f"Exit code {'unknown' if exit_code is None else exit_code}."
    return _cause(Reason.FILES_LOST, f"{how} {_said(seen)}")


def out_of_memory(seen: Evidence) -> Cause | None:
    """Also with exit code 0: a child was killed and its shell carried on. The launcher saw it, or died of it."""
    was_killed = seen.record is not None and (seen.record.out_of_memory or seen.record.interrupted)
    return _cause(Reason.OOM_KILLED) if was_killed and seen.is_collected else None


def model_budget_spent(seen: Evidence) -> Cause | None:
    return _cause(Reason.MODEL_BUDGET_SPENT) if seen.record and seen.record.model_budget_spent else None


def deadline_without_submission(seen: Evidence) -> Cause | None:
    record = seen.record
    if record is None or not record.deadline_reached or record.has_submission:
        return None
    return _cause(Reason.TIME_LOST if seen.lost_time else Reason.DEADLINE_WITHOUT_SUBMISSION)


def agent_failed(seen: Evidence) -> Cause | None:
    """An agent that is ended by its deadline has an exit code too, and is not to blame for it."""
    record = seen.record
    if record is None or record.deadline_reached or not record.exit_code:
        return None
    return _cause(Reason.AGENT_ERROR, f"Exit code {record.exit_code}.")


def no_submission(seen: Evidence) -> Cause | None:
    return _cause(Reason.NO_SUBMISSION) if seen.record and not seen.record.has_submission else None


RULES: tuple[Rule, ...] = (
    cancelled,
    stopped,
    image_not_pulled,
    not_configured,
    not_isolated,
    taken_back,
    dataset_not_staged,
    node_lost,
    disrupted,
    pod_deleted,
    store_unavailable,
    disk_full,
    interrupted,
    files_lost,
    out_of_memory,
    model_budget_spent,
    deadline_without_submission,
    agent_failed,
    no_submission,
)


def _from_ending(seen: Evidence, ending: Ending, reason: Reason) -> Cause | None:
    """What the platform says counts only where nothing was collected."""
    return _cause(reason, _said(seen)) if not seen.is_collected and seen.ending is ending else None


def _said(seen: Evidence) -> str:
    return seen.task.message if seen.task else ""


def _cause(reason: Reason, detail: str = "") -> Cause:
    return Cause(reason, f"{FAILURES[reason].meaning} {detail}".strip())
