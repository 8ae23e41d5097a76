"""A controller in the simulated world: reads, `decide`, writes; time passes in between, and it can die at any point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.core.model import Action, Experiment, Judge, Note, Plan, Publish, Remove, Seen, Start, Stop
from orchestrator.core.plan import decide
from tests.core.simulator.cluster import FakeCluster, View
from tests.core.simulator.engine import Life, Process
from tests.core.simulator.journal import Judged
from tests.core.simulator.plan_checks import check_judgement, check_plan, check_start, check_status
from tests.core.simulator.scenario import Trouble
from tests.core.simulator.store import StoreOut
from tests.core.simulator.surroundings import Surroundings

TRY_AGAIN, AT_LEAST_EVERY = 5.0, 300.0
"""Seconds after which a reconcile that failed is repeated: twice as many each time, up to a limit."""


class WriteFailed(Exception):
    """The answer to a write says that it failed, which may be true."""


class Died(Exception):
    """The controller is gone, in the middle of what it did."""


class Desk:
    """The ExperimentRun, as the API server holds it: people write its spec, controllers its status."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    def write_status(self, read: Experiment, status: ExperimentRunStatus) -> None:
        """Refused if the object has changed since it was read."""
        if self.experiment is not read:
            raise WriteFailed
        self.experiment = replace(read, status=status)


class Controller:
    """One controller process. Another one follows when it dies, and knows nothing of it."""

    def __init__(self, around: Surroundings, cluster: FakeCluster, desk: Desk, on_death: Callable[[], None]) -> None:
        self.around = around
        self.cluster = cluster
        self.desk = desk
        self.view = View(cluster, self._lag)
        self._on_death = on_death
        self.is_dead = False
        self._is_busy = False
        self._is_awaited = False
        self._requeue = 0
        self._failures = 0

    def retire(self) -> None:
        """Another one leads: do nothing any more."""
        self.is_dead = True

    def wake(self) -> None:
        """Something may have changed. Woken while it works, it looks again afterwards."""
        if self.is_dead:
            return
        if self._is_busy:
            self._is_awaited = True
            return
        self._is_busy, self._is_awaited = True, False
        Process(self.around.engine, self._reconcile())

    def _reconcile(self) -> Life:
        self._failures += 1
        wait: float | None = min(TRY_AGAIN * 2**self._failures, AT_LEAST_EVERY)
        try:
            experiment, seen, read_at = self.desk.experiment, self._observe(), self.around.engine.seconds
            plan = decide(experiment, seen, self.around.scenario.facts, self.around.engine.now)
            check_plan(plan, experiment, seen, self.around)
            for action in plan.actions:
                yield self.around.chance.uniform(0, 0.5)
                self._carry_out(action, experiment, read_at)
            yield self.around.chance.uniform(0, 0.5)
            self._write_status(plan, experiment)
            self._failures = 0
            wait = plan.requeue_after.total_seconds() if plan.requeue_after is not None else None
        except (StoreOut, WriteFailed):
            pass
        except Died:
            if not self.is_dead:
                self.is_dead = True
                self._on_death()
            return
        self.around.journal.reconciles += 1
        self._is_busy = False
        self._look_again(0.0 if self._is_awaited else wait)

    def _look_again(self, wait: float | None) -> None:
        self._requeue += 1
        turn = self._requeue
        if wait is not None:
            self.around.engine.after(wait, lambda: self.wake() if turn == self._requeue else None)

    def _observe(self) -> Seen:
        """Tasks first, then the store."""
        tasks, store = self.view.tasks(), self.around.store
        store.must_answer()
        return Seen(
            tasks=tasks,
            prepared=frozenset(store.prepared),
            records=dict(store.records),
            outcomes=dict(store.outcomes),
            clocks=dict(store.clocks),
            heard={key: moment for key, moment in store.heard.items() if key not in store.outcomes},
            saved=frozenset(store.saved),
            reports=dict(store.reports),
            report_is_published=store.published is not None,
            published_digest=store.published,
            report_url="memory://report.json" if store.published else None,
        )

    def _carry_out(self, action: Action, experiment: Experiment, read_at: float) -> None:
        if self.is_dead or self.around.happens(Trouble.CONTROLLER_DIES, 0.05):
            raise Died
        fails = self.around.happens(Trouble.ANSWERS_LOST, 0.1)
        if fails and self.around.chance.random() < 0.5:
            raise WriteFailed
        match action:
            case Start():
                self._start(action, experiment, acknowledged=not fails)
            case Note():
                self.cluster.note(action)
            case Stop():
                self.cluster.stop(action.name)
            case Remove():
                self.cluster.remove(action.name)
            case Judge():
                check_judgement(action, experiment, self.cluster, self.around)
                self._judge(action, read_at)
            case Publish():
                self.around.store.must_answer()
                self.around.store.published = action.digest
        if fails:
            raise WriteFailed

    def _start(self, start: Start, experiment: Experiment, *, acknowledged: bool) -> None:
        if start.name not in self.cluster.shown:
            check_start(start, experiment, self.cluster, self.around)
        if self.cluster.start(start):
            self.around.journal.started.append((self.around.engine.seconds, start))
        if acknowledged:
            self.view.started(start.name)

    def _judge(self, judgement: Judge, read_at: float) -> None:
        if not self.around.store.write_outcome(judgement.key, judgement.outcome):
            raise WriteFailed  # judged otherwise by another: look again
        judged = Judged(read_at, self.around.engine.seconds, judgement.outcome)
        self.around.journal.judged.setdefault(judgement.key, judged)

    def _write_status(self, plan: Plan, experiment: Experiment) -> None:
        if self.is_dead or self.around.happens(Trouble.CONTROLLER_DIES, 0.02):
            raise Died
        self.desk.write_status(experiment, plan.status)
        check_status(experiment, plan.status, self.around)

    def _lag(self) -> float:
        stale = self.around.scenario.has(Trouble.STALE) and self.around.is_troubled
        return self.around.chance.choice([0.0, 1.0, 30.0, 120.0]) if stale else 0.0
