"""A whole experiment in virtual time: a cluster, a store, people, troubles, and controllers that follow each other."""

from __future__ import annotations

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.core.model import Experiment
from tests.core.simulator import people
from tests.core.simulator.cluster import FakeCluster
from tests.core.simulator.controller import Controller, Desk
from tests.core.simulator.engine import Process
from tests.core.simulator.journal import Problem
from tests.core.simulator.lives import live
from tests.core.simulator.promises import PROMISES
from tests.core.simulator.scenario import HOUR, LIMIT, TROUBLED_FOR, Scenario, Trouble
from tests.core.simulator.surroundings import Surroundings
from tests.core.simulator.troubles import Fate

AFTERLIFE = 48 * HOUR
"""How long a finished world goes on: nodes come back, Jobs expire, and nothing of the result may change."""


class World:
    def __init__(self, scenario: Scenario) -> None:
        self.around = around = Surroundings(scenario)
        self.cluster = FakeCluster(around.engine, lambda pod: live(around, pod), self._tell_news)
        self.desk = Desk(
            Experiment(
                namespace="default",
                name="simulated",
                uid="simulated-uid",
                generation=1,
                created_at=around.engine.now,
                spec=scenario.spec,
                status=ExperimentRunStatus(),
            )
        )
        self.controller = Controller(around, self.cluster, self.desk, self._replace_controller)

    def play(self) -> list[Problem]:
        """Everything that went against a promise, from the beginning to long after the end."""
        self._begin()
        ended = self._go_on_until_it_ends()
        for _ in range(2):
            if ended and self.around.scenario.has(Trouble.RETRIED) and people.retry_failed(self.around, self.desk):
                self.controller.wake()
                self.around.engine.run(lambda: not self._is_finished, self.around.engine.seconds + HOUR)
                ended = self._go_on_until_it_ends()
        if not ended:
            self.around.journal.complain("ends", f"after {LIMIT / HOUR:g} hours: {self.desk.experiment.status.runs}")
            return self.around.journal.problems
        result = self.desk.experiment.status.results
        self.around.engine.run(lambda: False, self.around.engine.seconds + AFTERLIFE)
        if self.desk.experiment.status.results != result:
            self.around.journal.complain("kept", "the result changed after the end")
        for check, promise in PROMISES.items():
            for what in promise(self.desk.experiment, self.cluster, self.around):
                self.around.journal.complain(check, what)
        return self.around.journal.problems

    def _begin(self) -> None:
        scenario, engine = self.around.scenario, self.around.engine
        Process(engine, Fate(self.around, self.cluster).live())
        for trouble, act in people.LIVES.items():
            if scenario.has(trouble):
                Process(engine, act(self.around, self.desk))
        self.controller.wake()

    @property
    def _is_finished(self) -> bool:
        return self.desk.experiment.status.phase.is_finished and self.desk.experiment.status.report is not None

    def _go_on_until_it_ends(self) -> bool:
        """Troubles and people have to be done too: both can begin something new."""

        def ended() -> bool:
            return self.around.engine.seconds > TROUBLED_FOR + 4 * HOUR and self._is_finished

        return self.around.engine.run(ended, LIMIT) or self._is_finished

    def _tell_news(self) -> None:
        """News of a change: at once, or late, or twice, or not at all."""
        around = self.around
        if not (around.scenario.has(Trouble.STALE) and around.is_troubled):
            around.engine.after(0.1, lambda: self.controller.wake())
            return
        for _ in range(around.chance.choice([0, 1, 1, 2])):
            around.engine.after(around.chance.uniform(0, 120), lambda: self.controller.wake())

    def _replace_controller(self) -> None:
        def take_over() -> None:
            self.controller = Controller(self.around, self.cluster, self.desk, self._replace_controller)
            self.controller.wake()

        self.around.engine.after(self.around.chance.uniform(1, 600), take_over)
