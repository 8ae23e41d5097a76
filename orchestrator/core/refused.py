"""What to tell of tasks that the cluster would not create. All else of a plan is done, and these are tried again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.api.types import Condition
from orchestrator.core.model import Event, Plan
from orchestrator.core.wording import show

JOBS_REFUSED = "JobsRefused"
"""The reason of the condition Progressing while it is so."""


def tell_refused(plan: Plan, said: Sequence[str]) -> Plan:
    """The plan with a status and an event that say why the experiment waits. `said` is what the API server answered to
    each refused task."""
    if not said:
        return plan
    told = f"{len(said)} {'Job was' if len(said) == 1 else 'Jobs were'} refused: {said[0]}. {_what_to_do(said[0])}"

    def tell(condition: Condition) -> Condition:
        if condition.type != "Progressing":
            return condition
        return condition.model_copy(update={"reason": JOBS_REFUSED, "message": show(f"{condition.message} {told}")})

    status = plan.status.model_copy(update={"conditions": tuple(tell(one) for one in plan.status.conditions)})
    return replace(plan, status=status, events=(*plan.events, Event("FailedCreate", show(told), is_warning=True)))


def is_full(said: str) -> bool:
    """Whether a ResourceQuota has refused a task, so that it would refuse the next one too."""
    return "exceeded quota" in said


def is_unasked(said: str) -> bool:
    """Whether a webhook that has to agree could not be asked. The API server is well, and may say so for days."""
    return "failed calling webhook" in said


def _what_to_do(said: str) -> str:
    if is_unasked(said):
        return "It goes on when that webhook answers: see to whoever serves it, such as Kueue's controller."
    if is_full(said):
        return (
            "It goes on when there is room: raise the quota, or lower spec.ttlAfterFinished, "
            "since ended Jobs count until they are removed."
        )
    return "It goes on when what is named here is put right; what is wrong in the spec needs a new experiment."
