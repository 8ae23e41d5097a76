"""A whole experiment in virtual time: a cluster, a store, people, troubles, and controllers that follow each other."""

from __future__ import annotations

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.core.model import Experiment
from tests.core.simulator import people
from tests.core.simulator.cluster import FakeCluster
from tests.core.simulator.controller import Controller, Desk
from tests.core.simulator.engine import Life, Process
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
        self.controllers = [self._new_controller()]

    def play(self) -> list[Problem]:
        """What went against a promise, from the beginning to long after the end. It stops when something has."""
        self._begin()
        ended = self._go_on_until_it_ends()
        for _ in range(2):
            if ended and self.around.scenario.has(Trouble.RETRIED) and people.retry_failed(self.around, self.desk):
                self._wake_controllers()
                self.around.engine.run(lambda: not self._is_finished, self.around.engine.seconds + HOUR)
                ended = self._go_on_until_it_ends()
        if self.around.journal.problems:
            return self.around.journal.problems
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
        if scenario.has(Trouble.TWO_CONTROLLERS):
            Process(engine, self._change_leaders())
        self._wake_controllers()

    @property
    def _is_finished(self) -> bool:
        return self.desk.experiment.status.phase.is_finished and self.desk.experiment.status.report is not None

    def _go_on_until_it_ends(self) -> bool:
        """Troubles and people have to be done too: both can begin something new."""

        def ended() -> bool:
            settled = self.around.engine.seconds > TROUBLED_FOR + 4 * HOUR and self._is_finished
            return settled or bool(self.around.journal.problems)

        return self.around.engine.run(ended, LIMIT) or self._is_finished

    def _tell_news(self) -> None:
        """News of a change: at once, or late, or twice, or not at all."""
        around = self.around
        if not (around.scenario.has(Trouble.STALE) and around.is_troubled):
            around.engine.after(0.1, self._wake_controllers)
            return
        for _ in range(around.chance.choice([0, 1, 1, 2])):
            around.engine.after(around.chance.uniform(0, 120), self._wake_controllers)

    def _new_controller(self) -> Controller:
        return Controller(self.around, self.cluster, self.desk, on_death=self._replace_dead_controller)

    def _wake_controllers(self) -> None:
        for controller in self.controllers:
            controller.wake()

    def _replace_dead_controller(self) -> None:
        def take_over() -> None:
            living = [controller for controller in self.controllers if not controller.is_dead]
            self.controllers = [*living, self._new_controller()]
            self._wake_controllers()

        self.around.engine.after(self.around.chance.uniform(1, 600), take_over)

    def _change_leaders(self) -> Life:
        """A new controller begins, and the old one goes on for a while."""
        while self.around.is_troubled:
            yield self.around.chance.expovariate(1 / HOUR)
            old = self.controllers
            self.controllers = [*old, self._new_controller()]
            self._wake_controllers()
            yield self.around.chance.uniform(0, 300)
            for controller in old:
                controller.retire()
            self.controllers = [controller for controller in self.controllers if not controller.is_dead]
