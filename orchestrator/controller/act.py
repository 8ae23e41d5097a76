"""Every write of a reconcile. Each is harmless when repeated, so a stop anywhere only means that some are done again.

A plan lists its actions kind by kind: judgements, notes, stops, starts, the report, removals. Between kinds the order
is kept, because a kind may follow from the one before: an attempt is judged before its successor or its grader starts,
and a task is removed only once what it stood for is written elsewhere. Within a kind no action depends on another (each
has an object of its own, and how many may start was decided before), so these go at the same time, a few at once:
creating Jobs one after the other is what makes an experiment slow to start. One that fails does not keep the others of
its kind from being tried; what follows waits for the next reconcile.

A start that is refused is another matter, since it may be refused for days: nothing that follows waits for it, least of
all the removals, which may be what makes room in a quota.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import groupby
from threading import Event

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cluster.kubernetes.errors import ApiError, Forbidden, Invalid, Unavailable
from orchestrator.controller.cluster import Cluster
from orchestrator.controller.logs import about_run
from orchestrator.controller.observe import OUTCOME, Observer, attempt_keys, keys_of
from orchestrator.controller.stores import OpenStores
from orchestrator.core.events import of_judgement
from orchestrator.core.model import (
    Action,
    Experiment,
    Judge,
    Note,
    Outcome,
    Plan,
    Publish,
    Remove,
    Role,
    Start,
    Stop,
    Task,
)
from orchestrator.core.refused import is_full, is_unasked
from orchestrator.report.publish import publish
from orchestrator.storage.store import StoreError


class AlreadyJudged(Exception):
    """Another controller has judged the attempt, and differently: look again before doing anything more."""


class NotLeading(Exception):
    """Another controller may be at work by now: nothing more is written."""


@dataclass
class Refused:
    """Tasks of one plan that the API server would not create."""

    errors: dict[str, ApiError] = field(default_factory=dict)
    """By the tasks' names."""
    all_alike: dict[bool, ApiError] = field(default_factory=dict)
    """What would be said to every other task too, by whether these are agents'."""


@dataclass(frozen=True)
class Actor:
    """Carries out what was decided."""

    cluster: Cluster
    stores: OpenStores
    observer: Observer
    """Told of what was written, so that it need not be read."""
    at_once: int = 1
    """How many actions of a kind are carried out at the same time."""
    may_write: Callable[[], bool] = lambda: True
    """Asked before each write."""
    on_judged: Callable[[Outcome], None] = lambda outcome: None
    """Told of each judgement once it is written, whatever becomes of the rest of the plan."""

    def carry_out(self, experiment: Experiment, plan: Plan, tasks: Iterable[Task] = ()) -> tuple[ApiError, ...]:
        """Why the API server refused tasks that were to start, for each of them; all else is done. `tasks` are those
        that the plan is about, for the logs."""
        subjects = {task.name: task for task in tasks}
        refused = Refused()

        def do(action: Action) -> None:
            self._check()
            with about_run(*subject(action, subjects)):
                self._carry_out(experiment, action, plan.status, refused)

        for _, actions in groupby(plan.actions, key=type):
            self._all(do, list(actions))
        names = [action.name for action in plan.actions if isinstance(action, Start)]
        return tuple(refused.errors[name] for name in names if name in refused.errors)

    def _all(self, do: Callable[[Action], None], actions: Sequence[Action]) -> None:
        """Every action, a few at once; the first failure is raised at the end."""
        out_of_reach = Event()

        def attempt(action: Action) -> None:
            if out_of_reach.is_set():
                return
            try:
                do(action)
            except (StoreError, Unavailable):
                out_of_reach.set()  # the others would wait as long for nothing
                raise

        if self.at_once == 1:  # in this very thread: what the local cluster starts must not end with a thread of a pool
            each_in_turn(attempt, actions)
            return
        with ThreadPoolExecutor(min(self.at_once, len(actions)), thread_name_prefix="act") as pool:
            futures = [pool.submit(copy_context().run, attempt, action) for action in actions]
        for future in futures:
            future.result()

    def write_status(self, experiment: Experiment, status: ExperimentRunStatus) -> None:
        self._check()
        self.cluster.write_status(experiment, status)

    def _check(self) -> None:
        if not self.may_write():
            raise NotLeading

    def _carry_out(self, experiment: Experiment, action: Action, status: ExperimentRunStatus, refused: Refused) -> None:
        match action:
            case Start():
                self._start(experiment, action, refused)
            case Note():
                self.cluster.note(experiment, action)
            case Stop():
                self.cluster.stop(experiment, action.name, action.why)
            case Remove():
                self.cluster.remove(experiment, action.name)
            case Judge():
                self._judge(experiment, action)
            case Publish():
                publish(self.stores.runs, keys_of(experiment), results_digest=action.digest, told=status.results)
                self.observer.published(experiment)

    def _start(self, experiment: Experiment, start: Start, refused: Refused) -> None:
        """Once a quota is full, or a webhook does not answer, the others that it is for are not even tried."""
        is_agent = start.role is Role.AGENT  # in the experiment's namespace, the others beside the controller
        if (known := refused.all_alike.get(is_agent)) is not None:
            refused.errors[start.name] = known
            return
        try:
            self.cluster.start(experiment, start)
        except (Forbidden, Invalid, Unavailable) as error:
            if isinstance(error, Unavailable) and not is_unasked(error.message):
                raise
            refused.errors[start.name] = error
            if is_full(error.message) or is_unasked(error.message):
                refused.all_alike[is_agent] = error

    def _judge(self, experiment: Experiment, judgement: Judge) -> None:
        """Write the outcome once. What is written stands: if it says something else, nothing may follow from ours.

        It is told before: no later plan has it, so whoever is stopped in between would never tell it.
        """
        self.cluster.record(experiment, of_judgement(judgement))
        key = attempt_keys(keys_of(experiment), judgement.key).outcome
        if not self.stores.runs.write_new(key, OUTCOME.dump_json(judgement.outcome, indent=1)):
            written = self.stores.runs.read(key)
            if written is not None and OUTCOME.validate_json(written) != judgement.outcome:
                raise AlreadyJudged(key)
        self.observer.judged(experiment, judgement.key, judgement.outcome)
        self.on_judged(judgement.outcome)


def each_in_turn(attempt: Callable[[Action], None], actions: Sequence[Action]) -> None:
    """One after the other, each tried; the first failure is raised at the end."""
    failures: list[Exception] = []
    for action in actions:
        try:
            attempt(action)
        except Exception as error:  # noqa: BLE001 (raised below)
            failures.append(error)
    if failures:
        raise failures[0]


def subject(action: Action, tasks: Mapping[str, Task]) -> tuple[str | None, int | None, int | None]:
    """Which competition, seed and attempt an action is about; None where it is about all of them."""
    match action:
        case Judge():
            return action.key
        case Start():
            return action.competition, action.seed, action.attempt
        case Note() | Stop() | Remove() if (task := tasks.get(action.name)) is not None:
            return task.competition, task.seed, task.attempt
        case _:
            return None, None, None
