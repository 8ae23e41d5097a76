"""A cluster in memory: nodes that come and go, pods that live on them, and an API server that knows what it was told.

What a node's pods do and what the API server says of them part ways when the node is cut off: the pods go on, and the
API server shows them as they were, with the time since when it has heard nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.core.model import Ending, Note, Role, Start, Task, TaskPhase
from tests.core.simulator.engine import Engine, Life, Process


@dataclass
class Node:
    name: str
    is_up: bool = True
    is_reachable: bool = True
    reaches_store: bool = True


class Pod:
    """A task and the process that carries it out."""

    def __init__(self, cluster: FakeCluster, start: Start) -> None:
        self.cluster = cluster
        self.start = start
        self.node: Node | None = None
        self.doom: Ending | None = None
        """How it will have ended, for somebody has told it to."""
        self.task = Task(
            start.name,
            start.role,
            start.competition,
            start.seed,
            start.attempt,
            TaskPhase.QUEUED,
            created_at=cluster.engine.now,
        )
        self.process: Process | None = None
        self.is_called_back = False
        """Its queue has told it to go; once it has, it waits again."""
        self.was_taken_back = False

    @property
    def is_reachable(self) -> bool:
        return self.node is None or self.node.is_reachable

    def change(self, phase: TaskPhase, **fields: Any) -> None:
        now = self.cluster.engine.now
        if phase is TaskPhase.RUNNING:
            fields["started_at"] = now
        if phase.is_final:
            fields["finished_at"] = now
        self.task = replace(self.task, phase=phase, node=self.node.name if self.node else None, **fields)
        self.cluster.show(self)

    def end(self, exit_code: int, ending: Ending | None = None, message: str = "", *, try_again: bool = True) -> None:
        if self.is_called_back and self.doom is None and ending is not Ending.NODE_LOST:
            self._wait_again()
            return
        phase = TaskPhase.SUCCEEDED if exit_code == 0 and ending is None else TaskPhase.FAILED
        self.change(phase, exit_code=exit_code, ending=ending, message=message, try_again=try_again)

    def call_back(self, *, notice: bool) -> bool:
        """Its queue suspends the Job: the pod goes, the Job stays. False: there is no pod that could go."""
        if self.task.phase.is_final or self.doom is not None or self.process is None or not self.process.is_alive:
            return False
        self.is_called_back = self.was_taken_back = True
        self.hear_of_its_end(notice=notice)
        return True

    def let_go(self) -> None:
        """Its queue lets it go once more, with another pod for the same attempt."""
        if self.task.requeued and self.doom is None:
            self.change(TaskPhase.QUEUED, requeued=False)
            self.process = Process(self.cluster.engine, self.cluster.life_of(self))

    def _wait_again(self) -> None:
        self.is_called_back, self.node = False, None
        self.change(TaskPhase.QUEUED, requeued=True, ending=None)

    def tell_to_end(self, ending: Ending, *, notice: bool) -> None:
        """End it; with notice it can still collect. A node that is cut off hears of it when it is back."""
        if self.task.phase.is_final or self.doom is not None:
            return
        self.doom = ending
        if self.is_reachable:
            self.hear_of_its_end(notice=notice)

    def hear_of_its_end(self, *, notice: bool) -> None:
        if self.process is None or not self.process.is_alive:
            if self.task.requeued:
                self.end(137, self.doom)
            return
        if notice:
            self.process.interrupt()
        else:
            self.process.kill()
            self.end(137, self.doom)


class FakeCluster:
    """Pods by name, and what the API server shows of them, change by change."""

    def __init__(self, engine: Engine, life_of: Callable[[Pod], Life], news: Callable[[], None]) -> None:
        self.engine = engine
        self.pods: dict[str, Pod] = {}
        self.shown: dict[str, Task] = {}
        self.changes: list[tuple[float, str, Task | None]] = []
        self.life_of = life_of
        self._news = news

    def start(self, start: Start) -> bool:
        """Create the task; False: it is there already."""
        if start.name in self.shown:
            return False
        pod = self.pods[start.name] = Pod(self, start)
        self.show(pod)
        pod.process = Process(self.engine, self.life_of(pod))
        return True

    def stop(self, name: str) -> None:
        if name in self.shown:
            self.pods[name].tell_to_end(Ending.STOPPED, notice=True)

    def note(self, note: Note) -> None:
        """From now on the task is told like that, whatever becomes of its pod."""
        shown = self.shown.get(note.name)
        if shown is not None and not shown.is_noted:
            said = {"ending": note.ending, "message": note.message, "try_again": note.try_again}
            self._tell(note.name, replace(shown, is_noted=True, **said))

    def sweep(self, name: str) -> None:
        """The pod of a task that has failed is gone."""
        shown = self.shown[name]
        if not shown.is_noted:
            self._tell(name, replace(shown, ending=Ending.DELETED, message="", try_again=True))

    def remove(self, name: str) -> None:
        """Forget the task; its pod, should it live, is ended when its node hears of it."""
        if self.shown.pop(name, None) is not None:
            self._tell(name, None)
            self.pods[name].tell_to_end(Ending.DELETED, notice=False)

    def show(self, pod: Pod) -> None:
        """Tell the API server how a pod is, if its node can."""
        name = pod.start.name
        if self.pods.get(name) is not pod or (name not in self.shown and pod.task.phase is not TaskPhase.QUEUED):
            return
        if pod.is_reachable:
            self._tell(name, pod.task)

    def cut_off(self, node: Node) -> None:
        """Nothing is heard of the node any more."""
        node.is_reachable = False
        for pod in self.pods.values():
            shown = self.shown.get(pod.start.name)
            if pod.node is node and shown is not None and not shown.phase.is_final:
                self._tell(pod.start.name, replace(shown, unreachable_since=self.engine.now))

    def kill(self, node: Node) -> None:
        """The node dies with all that runs on it."""
        node.is_up = False
        for pod in self.pods.values():
            if pod.node is node and pod.process is not None and not pod.task.phase.is_final:
                pod.process.kill()
        self.cut_off(node)

    def bring_back(self, node: Node, *, notice: bool) -> None:
        """The node is heard of again. What died with it is reported; what should have ended is told so."""
        died, node.is_up, node.is_reachable, node.reaches_store = not node.is_up, True, True, True
        for pod in list(self.pods.values()):
            if pod.node is not node or (pod.task.phase.is_final and pod.start.name not in self.shown):
                continue
            if died and not pod.task.phase.is_final:
                pod.end(255, Ending.NODE_LOST)
            else:
                self.show(pod)
                if pod.doom is not None:
                    pod.hear_of_its_end(notice=notice)

    def living(self, role: Role) -> list[Pod]:
        """Pods of a role that are really at work and whose node is heard of."""
        return [
            pod
            for pod in self.pods.values()
            if pod.start.role is role and not pod.task.phase.is_final and pod.is_reachable
        ]

    def _tell(self, name: str, task: Task | None) -> None:
        if task is not None:
            self.shown[name] = task
        self.changes.append((self.engine.seconds, name, task))
        self._news()


class View:
    """What one controller process sees of the API server: late, in order, and never without what it started itself."""

    def __init__(self, cluster: FakeCluster, lag: Callable[[], float]) -> None:
        self._cluster = cluster
        self._lag = lag
        self._seen = dict(cluster.shown)
        self._read = len(cluster.changes)
        self._started: dict[str, Task] = {}

    def started(self, name: str) -> None:
        """A start was acknowledged: its task is in the view from now on, however late the news."""
        self._started[name] = self._cluster.pods[name].task

    def tasks(self) -> tuple[Task, ...]:
        heard_until = self._cluster.engine.seconds - self._lag()
        changes = self._cluster.changes
        while self._read < len(changes) and changes[self._read][0] <= heard_until:
            _, name, task = changes[self._read]
            self._read += 1
            self._started.pop(name, None)
            if task is None:
                self._seen.pop(name, None)
            else:
                self._seen[name] = task
        return tuple({**self._started, **self._seen}.values())
