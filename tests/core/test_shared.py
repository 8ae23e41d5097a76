"""Many experiments, one dataset: whatever happens, in whatever order, it is prepared by one task at a time, and once.

The tasks are all that experiments know of each other. Each looks at its own moment, so an old sight of the tasks is
among what can happen.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.api.types import Phase
from orchestrator.core.model import Ending, Remove, Role, Seen, Start, Stop, Task, TaskPhase
from orchestrator.core.plan import decide
from tests.core.build import BIRDS, NOW, experiment

STEP = timedelta(minutes=15)


@dataclass
class World:
    """The API server's tasks and the store, as all experiments see them."""

    experiments: list
    tasks: dict[str, Task] = field(default_factory=dict)
    is_prepared: bool = False
    now: datetime = NOW
    started: list[Start] = field(default_factory=list)

    def look(self, number: int, tasks: tuple[Task, ...] | None = None) -> Phase:
        """One experiment's reconcile, on what it sees of the tasks now, or saw before."""
        if self.now < self.experiments[number].created_at:
            return Phase.PENDING
        prepared = frozenset({"birds"} if self.is_prepared else ())
        seen = Seen(tasks=tuple(self.tasks.values()) if tasks is None else tasks, prepared=prepared)
        plan = decide(self.experiments[number], seen, BIRDS, self.now)
        for action in plan.actions:
            match action:
                case Start(role=Role.PREPARE) if action.name not in self.tasks:  # the API server takes a name once
                    self._start(action)
                case Remove() | Stop():
                    assert self.is_prepared, "failed tries are all experiments' memory"
        return plan.status.phase

    def _start(self, start: Start) -> None:
        assert not any(not task.phase.is_final and task.unreachable_since is None for task in self.tasks.values())
        assert not self.is_prepared
        self.started.append(start)
        self.tasks[start.name] = Task(
            start.name, start.role, start.competition, None, start.attempt, TaskPhase.RUNNING, self.now
        )

    def end(self, how: str) -> None:
        """What becomes of the task that runs, if one does."""
        for task in list(self.tasks.values()):
            if task.phase.is_final:
                continue
            if how == "prepared":
                self.is_prepared = True
                self.tasks[task.name] = replace(task, phase=TaskPhase.SUCCEEDED, finished_at=self.now)
            elif how == "node lost":
                self.tasks[task.name] = replace(task, unreachable_since=self.now)
            elif how == "deleted":
                del self.tasks[task.name]
            else:
                self.tasks[task.name] = replace(
                    task,
                    phase=TaskPhase.FAILED,
                    finished_at=self.now,
                    ending=Ending.DISRUPTED if how == "evicted" else None,
                    try_again=how != "refused",
                )


ENDS = st.sampled_from(["prepared", "failed", "refused", "evicted", "node lost", "deleted"])
EVENTS = st.lists(
    st.one_of(st.tuples(st.just("look"), st.integers(0, 2)), st.tuples(st.just("stale"), st.integers(0, 2)), ENDS),
    max_size=25,
)


def three(retries):
    """One that is alone at first, and two that come later."""
    return [
        replace(
            experiment(retries={"infrastructure": limit}, created_at=NOW + number * STEP),
            uid=f"experiment-{number}",
        )
        for number, limit in enumerate(retries)
    ]


@settings(deadline=None)
@given(EVENTS, st.tuples(*[st.integers(0, 2)] * 3))
def test_a_dataset_is_prepared_by_one_task_at_a_time(events, retries):
    world = World(three(retries))
    before: tuple[Task, ...] = ()
    for event in events:
        match event:
            case ("look", number):
                world.look(number)
            case ("stale", number) if all(task.name in world.tasks for task in before):
                world.look(number, before)  # it had not heard yet: what it asks for is there already, or is next
            case str():
                before = tuple(world.tasks.values())
                world.end(event)
        world.now += STEP
    names = [start.name for start in world.started]
    assert len(set(names)) == len(names) or any(event == "deleted" for event in events)


@settings(deadline=None)
@given(st.lists(ENDS, min_size=12, max_size=12), st.tuples(*[st.integers(0, 2)] * 3))
def test_it_ends_for_every_experiment_and_alike_once_it_is_prepared(ends, retries):
    """No series of failures is followed for ever, and one experiment that has given up keeps no other from trying."""
    world = World(three(retries))
    for how in (*ends, *(["failed"] * 12)):
        for number in range(3):
            world.look(number)
        world.end(how)
        world.now += STEP
    waiting = (Phase.RUNNING,) if world.is_prepared else (Phase.FAILED,)
    assert [world.look(number) for number in range(3)] == [*waiting] * 3
    if "deleted" not in ends:
        tried = len(world.started) - ends.count("evicted")  # which counts for nobody
        assert tried <= sum(limit + 1 for limit in retries) + 2  # tries from before one was there
