"""What simulated agents do: they work, submit at some point, and end, one way or another."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from orchestrator.core.model import AttemptKey
from tests.core.simulator.scenario import WALL_CLOCK, Scenario, Trouble

NEVER = float("inf")


@dataclass(frozen=True)
class Script:
    """What an agent does in one attempt, in seconds of its work. Work that is restored does not have to be redone."""

    done_after: float
    submits_after: float
    crashes_after: float = NEVER
    child_killed_after: float = NEVER
    fills_disk_after: float = NEVER

    @property
    def ends_after(self) -> float:
        return min(self.done_after, self.crashes_after, self.fills_disk_after)

    @property
    def submits(self) -> bool:
        """Whether it leaves a submission if nobody disturbs it and it has its whole budget."""
        return self.submits_after <= min(self.ends_after, WALL_CLOCK)


def script_of(scenario: Scenario, key: AttemptKey) -> Script:
    """The same for every attempt of a run, but that some agents crash in their first attempts only."""
    chance = Random(f"{scenario.chance}/{key.competition}/{key.seed}")
    done_after = chance.uniform(0.1, 0.9) * WALL_CLOCK
    submits_after = chance.uniform(0.1, 0.9) * done_after
    crashes_after = child_killed_after = fills_disk_after = NEVER
    if scenario.has(Trouble.AGENT_SLOW) and chance.random() < 0.4:
        done_after = 3 * WALL_CLOCK
        submits_after = chance.choice([0.5, 0.95, 1.5]) * WALL_CLOCK
    if scenario.has(Trouble.AGENT_SILENT) and chance.random() < 0.4:
        submits_after = NEVER
    if scenario.has(Trouble.AGENT_CRASHES) and chance.random() < 0.5:
        crashing_attempts, at = chance.choice([1, 2, 99]), chance.uniform(0, 1.2) * done_after
        crashes_after = at if key.attempt <= crashing_attempts else NEVER
    if scenario.has(Trouble.AGENT_MEMORY) and chance.random() < 0.4:
        child_killed_after = chance.uniform(0, 1) * done_after
    if scenario.has(Trouble.AGENT_DISK) and chance.random() < 0.4:
        fills_disk_after = chance.uniform(0, 1) * done_after
    return Script(done_after, submits_after, crashes_after, child_killed_after, fills_disk_after)
