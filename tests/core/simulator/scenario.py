"""What one simulated experiment is like: its spec, the troubles that befall it, and the numbers that drive chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.model import CompetitionFacts


class Trouble(StrEnum):
    """Something that can go wrong, or that a person can do, at random moments."""

    POD_DELETED = "a pod is deleted"
    JOB_DELETED = "a Job is deleted, pod and all"
    EVICTED = "a pod is evicted"
    TAKEN_BACK = "a queue takes a Job back, and lets it go again, or not"
    PODS_SWEPT = "pods that have ended go with their node, and what they said"
    POD_MEMORY = "a whole pod is killed for memory"
    NODE_DIES = "a node dies"
    NODE_CUT_OFF = "a node is cut off, and what runs there goes on"
    IMAGE_PULL = "an image can't be pulled"
    STAGING = "a dataset can't be staged"
    NOT_ISOLATED = "the network is open"
    STORE_OUT = "the store is out"
    CONTROLLER_DIES = "the controller dies between two actions"
    TWO_CONTROLLERS = "an old controller does not know yet that a new one has taken over"
    ANSWERS_LOST = "a write succeeds, and the answer says that it failed"
    STALE = "news come late, twice or never, and reads are old"
    AGENT_CRASHES = "an agent ends with an error"
    AGENT_SILENT = "an agent leaves no submission"
    AGENT_MEMORY = "a child of an agent is killed for memory"
    AGENT_DISK = "an agent fills its disk"
    AGENT_SLOW = "an agent needs more than its budget"
    PREPARE_FAILS = "a dataset can't be prepared at first"
    DATASET_MISSING = "a dataset can never be prepared"
    GRADER_FAILS = "a grader has a defect"
    SUSPENDED = "a person suspends and resumes"
    PARALLELISM = "a person changes the parallelism"
    CANCELLED = "a person cancels"
    RETRIED = "a person retries what failed"


HOUR = 3600.0
WALL_CLOCK = 2 * HOUR
CLOCK_EVERY = 60.0
SNAPSHOT_EVERY = 600.0
TROUBLED_FOR = 20 * HOUR
"""Then no further trouble comes, so that the experiment can end."""
LIMIT = 12 * 24 * HOUR
"""By then it must have ended: every attempt that may be made fits one after the other, with its longest wait."""


@dataclass(frozen=True)
class Scenario:
    """One simulated experiment. Equal scenarios play out alike."""

    chance: int = 0
    competitions: int = 2
    seeds: int = 2
    parallelism: int = 2
    resume: bool = False
    infrastructure_retries: int = 3
    agent_retries: int = 0
    troubles: frozenset[Trouble] = frozenset()

    def has(self, trouble: Trouble) -> bool:
        return trouble in self.troubles

    def without(self, *troubles: Trouble) -> Scenario:
        return replace(self, troubles=self.troubles - set(troubles))

    @property
    def facts(self) -> dict[str, CompetitionFacts]:
        ids = [f"competition-{number}" for number in range(self.competitions)]
        return {id: CompetitionFacts(id, frozenset({"demo"}), float(len(ids) - rank)) for rank, id in enumerate(ids)}

    @property
    def spec(self) -> ExperimentRunSpec:
        return ExperimentRunSpec.model_validate(
            {
                "competitions": {"split": "demo"},
                "seeds": self.seeds,
                "agent": {"name": "simulated", "image": "simulated:1", "resume": self.resume},
                "budget": {"wallClock": timedelta(seconds=WALL_CLOCK)},
                "parallelism": self.parallelism,
                "retries": {"infrastructure": self.infrastructure_retries, "agent": self.agent_retries},
                "snapshots": {"every": timedelta(seconds=SNAPSHOT_EVERY)},
                "ttlAfterFinished": "6h",
            }
        )
