"""What everything in a simulated world shares: time, chance, the store, and the journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.core.simulator.cluster import Node, Pod
from tests.core.simulator.engine import Engine
from tests.core.simulator.journal import Journal
from tests.core.simulator.scenario import TROUBLED_FOR, Scenario, Trouble
from tests.core.simulator.store import FakeStore


@dataclass
class Surroundings:
    scenario: Scenario
    engine: Engine = field(default_factory=Engine)
    store: FakeStore = field(default_factory=FakeStore)
    journal: Journal = field(default_factory=Journal)
    nodes: list[Node] = field(default_factory=lambda: [Node(f"node-{number}") for number in range(3)])

    def __post_init__(self) -> None:
        self.chance = Random(self.scenario.chance)

    @property
    def is_troubled(self) -> bool:
        return self.engine.seconds < TROUBLED_FOR

    def happens(self, trouble: Trouble, likelihood: float) -> bool:
        """Whether a trouble comes now."""
        return self.scenario.has(trouble) and self.is_troubled and self.chance.random() < likelihood

    def reaches_store(self, pod: Pod) -> bool:
        return not self.store.is_out and (pod.node is None or pod.node.reaches_store)
