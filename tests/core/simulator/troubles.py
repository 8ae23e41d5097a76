"""What befalls a cluster and its store at random moments."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.core.model import AttemptKey, Ending, Role, TaskPhase
from tests.core.simulator.cluster import FakeCluster, Node, Pod
from tests.core.simulator.engine import Life
from tests.core.simulator.scenario import HOUR, Trouble
from tests.core.simulator.surroundings import Surroundings

MEAN_TIME_BETWEEN = 1200.0


class Fate:
    """Strikes now and then, as long as the world is troubled. The first node is spared, so that there always is one."""

    def __init__(self, around: Surroundings, cluster: FakeCluster) -> None:
        self.around = around
        self.cluster = cluster
        blows: dict[Trouble, Callable[[], None]] = {
            Trouble.POD_DELETED: lambda: self._end_a_pod(Ending.DELETED),
            Trouble.EVICTED: lambda: self._end_a_pod(Ending.DISRUPTED),
            Trouble.TAKEN_BACK: self._take_a_job_back,
            Trouble.PODS_SWEPT: self._sweep_ended_pods,
            Trouble.POD_MEMORY: lambda: self._end_a_pod(Ending.OOM_KILLED, notice=False),
            Trouble.JOB_DELETED: self._delete_a_job,
            Trouble.NODE_DIES: self._kill_a_node,
            Trouble.NODE_CUT_OFF: self._cut_off_a_node,
            Trouble.STORE_OUT: self._stop_the_store,
        }
        self.blows = [blow for trouble, blow in blows.items() if around.scenario.has(trouble)]

    def live(self) -> Life:
        while self.blows and self.around.is_troubled:
            yield self.around.chance.expovariate(1 / MEAN_TIME_BETWEEN)
            self.around.chance.choice(self.blows)()

    def _a_pod(self) -> Pod | None:
        living = [pod for pod in self.cluster.pods.values() if not pod.task.phase.is_final]
        return self.around.chance.choice(living) if living else None

    def _end_a_pod(self, ending: Ending, notice: bool | None = None) -> None:
        pod = self._a_pod()
        if pod is not None and pod.is_reachable:
            pod.tell_to_end(ending, notice=self.around.chance.random() < 0.5 if notice is None else notice)

    def _take_a_job_back(self) -> None:
        """In favour of others. It is let go again after a moment, or much later, or, if its agent had begun, never."""
        chance = self.around.chance
        agents = self.cluster.living(Role.AGENT)
        if not agents:
            return
        pod, wait = chance.choice(agents), chance.choice([5.0, 600.0, 3 * HOUR, None])
        if not pod.call_back(notice=chance.random() < 0.5):
            return
        if wait is not None or not self._has_begun(pod):
            self.around.engine.after(wait or HOUR, pod.let_go)

    def _has_begun(self, pod: Pod) -> bool:
        return AttemptKey(pod.start.competition, pod.start.seed or 0, pod.start.attempt) in self.around.store.clocks

    def _sweep_ended_pods(self) -> None:
        for name, task in list(self.cluster.shown.items()):
            if task.phase is TaskPhase.FAILED:
                self.cluster.sweep(name)

    def _delete_a_job(self) -> None:
        pod = self._a_pod()
        if pod is not None:
            self.cluster.remove(pod.start.name)

    def _a_node(self) -> Node | None:
        node = self.around.chance.choice(self.around.nodes[1:])
        return node if node.is_up and node.is_reachable else None

    def _kill_a_node(self) -> None:
        node = self._a_node()
        if node is not None:
            self.cluster.kill(node)
            self._bring_back_later(node)

    def _cut_off_a_node(self) -> None:
        node = self._a_node()
        if node is not None:
            node.reaches_store = self.around.chance.random() < 0.7
            self.cluster.cut_off(node)
            self._bring_back_later(node)

    def _bring_back_later(self, node: Node) -> None:
        """After a moment, after it was given up, or never."""
        chance = self.around.chance
        wait = chance.choice([120.0, 900.0, 5 * HOUR, None])
        notice = chance.random() < 0.5
        if wait is not None:
            self.around.engine.after(wait, lambda: self.cluster.bring_back(node, notice=notice))

    def _stop_the_store(self) -> None:
        store = self.around.store
        if not store.is_out:
            store.is_out = True
            wait = self.around.chance.choice([30.0, 1800.0, 2 * HOUR])
            self.around.engine.after(wait, lambda: setattr(store, "is_out", False))
