"""Faults at random moments of an experiment, from a seed: what happens when is decided before anything begins.

    chaos = Chaos(seed, lab, control_plane, proxy)
    chaos.begin(); chaos.cause_faults(); ...; problems(chaos.aftermath())

A real cluster is no simulator: the same seed gives the same faults at the same moments with the same agents, not the
same interleaving. `chaos.story` tells what was done, and when.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from random import Random
from threading import Timer
from typing import Any

from orchestrator.cluster.kubernetes.errors import ApiError
from orchestrator.cluster.kubernetes.kinds import PODS, Object
from orchestrator.controller.facts import known_competitions
from orchestrator.controller.observe import ATTEMPT_KEY, OUTCOME, REPORT_KEY
from orchestrator.controller.stores import OpenStores
from orchestrator.core.model import AttemptKey, Role, RunKey
from orchestrator.storage import layout
from orchestrator.worker.orders import CourierOrder
from tests.cluster.chaos_check import Aftermath
from tests.cluster.chaos_store import FaultyProxy, ReportLog
from tests.cluster.lab import ControllerProcess, Lab, total
from tests.cluster.leavings import leave_everything
from tests.cluster.played_nodes import NODES
from tests.cluster.player import Cast, Life, Script
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane

SEEDS = 3
PARALLELISM = 32
NODE_COUNT = 8
UNPREPARED = 5
"""Competitions whose datasets are not there at the start."""
ZEROS, STUMBLES = 12, 6
MOST_HITS = 2
"""How often the pods of a run are deleted by us, and once less while nodes are still to be lost: each retry of a run
waits four times as long as the one before, the fourth for ten minutes."""
TTL = timedelta(seconds=30)
PATIENCE = timedelta(seconds=5)
"""Of the controller with a silent node; Kubernetes has waited for 30 s before."""
NODES_LOST_SECONDS = 45.0
"""How long nodes are away: long enough for their agents to be given up, on a machine that is not too busy."""
LOST_NODES = 2
STUCK_SECONDS = 60.0


@dataclass(frozen=True, order=True)
class Moment:
    """Something that happens when so large a share of the runs has begun: on a slow machine later, not earlier."""

    at: float
    what: str
    strength: float = 0.0
    """Seconds, or how many."""

    def __str__(self) -> str:
        return f"{self.what} ({self.strength:.1f})" if self.strength else self.what


def draw_moments(seed: int, *, kills: bool = True) -> list[Moment]:
    """The faults of a seed. `kills`: also of controllers."""
    draw = Random(seed)

    def some(
        what: str, least: float, most: float, times: int = 1, begin: float = 0.02, end: float = 0.9
    ) -> list[Moment]:
        return [Moment(draw.uniform(begin, end), what, draw.uniform(least, most)) for _ in range(times)]

    moments = [
        *some("lose_node", 0, 0, begin=0.05, end=0.2),
        *some("delete_node", 0, 0, begin=0.05, end=0.2),
        *some("delete_pods", 1, 6, times=6),
        *some("crash_api_server", 0.5, 4, begin=0.2, end=0.8),
        *some("crash_etcd", 0.5, 4, begin=0.2, end=0.8),
        *some("lose_store", 2, 6),
        *some("slow_store", 4, 10),
        *some("refuse_at_store", 5, 20, times=2),
        *some("lose_answers_of_store", 1, 6, times=3),
    ]
    if kills:
        moments += some("kill_controller", 0, 3, times=2)
        moments += some("add_controller", 0, 0, end=0.4)
        moments += some("stop_controller", 0, 0, begin=0.4)
    return sorted(moments)


class Chaos:
    """One experiment, and what happens to it."""

    def __init__(self, seed: int, lab: Lab, control_plane: ControlPlane, proxy: FaultyProxy, *, kills: bool) -> None:
        self.seed = seed
        self.lab = lab
        self.control_plane = control_plane
        self.proxy = proxy
        self.kills = kills
        self.draw = Random(f"{seed}/faults")
        self.direct = lab.stores
        """The stores without the proxy."""
        self.competitions = [name for name, facts in known_competitions().items() if "all" in facts.splits]
        self.runs = [RunKey(name, number) for number in range(SEEDS) for name in self.competitions]
        chosen = Random(f"{seed}/agents").sample(self.runs, ZEROS + STUMBLES)
        self.zeros, self.stumbled = frozenset(chosen[:ZEROS]), frozenset(chosen[ZEROS:])
        self.hits: Counter[RunKey] = Counter()
        self.counted: dict[int, float] = {}
        """Attempts that each controller counted, as last seen, by its place in `lab.controllers`."""
        self.story: list[str] = []
        self.began = time.monotonic()
        self.nodes_hit = 0
        self.nodes_lost_at = self.began
        self.experiment: Object = {}

    def begin(self, workers_stores: OpenStores) -> None:
        """Datasets, the experiment, a controller. `workers_stores`: as pods reach them."""
        self.reports = ReportLog(workers_stores.runs)
        self.lab.player.stores = OpenStores(workers_stores.public, workers_stores.private, self.reports)  # type: ignore[arg-type]
        self.lab.player.script = self.script
        for name in self.competitions[UNPREPARED:]:
            self.direct.public.write(f"{layout.dataset_prefix('v1', name)}/{layout.MANIFEST}", b"{}")
            self.direct.private.write(f"{layout.answers_prefix('v1', name)}/{layout.MANIFEST}", b"{}")
        self.experiment = self.lab.submit(
            competitions={"split": "all"},
            seeds=SEEDS,
            parallelism=PARALLELISM,
            retries={"infrastructure": 10},
            agent={"name": "played", "image": "played:1", "resume": self.seed % 2 == 1},
            ttlAfterFinished=f"{TTL.seconds}s",
        )
        self.lab.controller()
        self.began = time.monotonic()
        self.tell(f"seed {self.seed}: {len(self.runs)} runs")

    def script(self, cast: Cast) -> Script:
        """Each pod's life, always the same for the same pod of the same seed."""
        draw = Random(f"{self.seed}/{cast.role}/{cast.competition}/{cast.seed}/{cast.attempt}")
        if cast.role is not Role.AGENT or cast.seed is None:
            return Script(run_seconds=draw.uniform(0.1, 1.0))
        run, life = RunKey(cast.competition, cast.seed), {"run_seconds": draw.uniform(0.3, 3.0)}
        if run in self.zeros:
            out_of_memory = draw.random() < 0.3
            return Script(submission=None, out_of_memory=out_of_memory, exit_code=137 if out_of_memory else 1, **life)
        return Script(exit_code=int(run in self.stumbled), **life)

    def cause_faults(self) -> None:
        """All of them, each at its moment or as soon after it as the one before has ended."""
        for moment in draw_moments(self.seed, kills=self.kills):
            self.wait_for(lambda: self.share_begun >= moment.at, STUCK_SECONDS)  # noqa: B023 (called here)
            self.tell(str(moment))
            action: Callable[[float], None] = getattr(self, moment.what)
            action(moment.strength)
        self.tell("no more faults but the nodes'")
        self.wait_for(lambda: time.monotonic() - self.nodes_lost_at > NODES_LOST_SECONDS, NODES_LOST_SECONDS)
        self.find_nodes()
        self.heal_store()
        self.have_a_controller()
        self.tell("no more faults")

    @property
    def share_begun(self) -> float:
        casts = {(cast.competition, cast.seed) for cast in list(self.lab.player.played) if cast.role is Role.AGENT}
        return len(casts) / len(self.runs)

    def wait_for(self, look: Callable[[], bool], seconds: float) -> None:
        """Or give up waiting: a fault too early is better than none."""
        deadline = time.monotonic() + seconds
        while not look() and time.monotonic() < deadline:
            time.sleep(0.05)

    def tell(self, line: str) -> None:
        self.story.append(f"{time.monotonic() - self.began:6.1f} s  {line}")

    # The faults, by the names of moments.

    def kill_controller(self, seconds: float) -> None:
        """With luck the one that leads."""
        living = self.controllers()
        if living:
            self.look_at_counts()
            self.draw.choice(living).kill()
        time.sleep(seconds)
        self.have_a_controller()

    def add_controller(self, _: float = 0.0) -> None:
        self.lab.controller(wait=False)

    def stop_controller(self, _: float = 0.0) -> None:
        """As an upgrade does."""
        self.look_at_counts()
        for leaving in self.controllers()[:1]:
            code = leaving.stop(60)
            self.tell(f"a controller stopped with {code}")
        self.have_a_controller()

    def crash_api_server(self, seconds: float) -> None:
        self._crash("kube-apiserver", seconds)

    def crash_etcd(self, seconds: float) -> None:
        self._crash("etcd", seconds)

    def _crash(self, component: str, seconds: float) -> None:
        self.control_plane.kill(component)
        time.sleep(seconds)
        for tries_left in (2, 1, 0):  # a minute each: on a busy machine an API server may take longer
            try:
                self.control_plane.start(component)
                break
            except RigError:
                if not tries_left:
                    raise
        self.tell(f"{component} is back")

    def delete_pods(self, count: float) -> None:
        """Some that run, one in three without grace."""
        casts = [life.cast for life in list(self.lab.player.lives.values()) if life.cast.seed is not None]
        most = MOST_HITS if self.nodes_hit == LOST_NODES else MOST_HITS - 1
        casts = [cast for cast in casts if self.hits[run_of(cast)] < most]
        for cast in self.draw.sample(sorted(casts, key=lambda cast: cast.name), min(int(count), len(casts))):
            self.hits[run_of(cast)] += 1
            namespace = self.lab.agents if cast.role is Role.AGENT else self.lab.system
            grace = 0 if self.draw.random() < 1 / 3 else None
            with suppress(ApiError):
                self.lab.api.delete(PODS, namespace, cast.name, grace_seconds=grace)
            self.tell(f"  deleted {cast.name} of {cast.competition} seed {cast.seed} attempt {cast.attempt}")

    def lose_node(self, _: float = 0.0) -> None:
        """Its pods will stay Terminating: nobody can tell whether they have ended."""
        self._hit_node(self.lab.nodes.names[0])

    def delete_node(self, _: float = 0.0) -> None:
        name = self.lab.nodes.names[1]
        self._hit_node(name)
        with suppress(ApiError):
            self.lab.api.delete(NODES, None, name)

    def _hit_node(self, name: str) -> None:
        self.lab.nodes.lose(name)
        self.nodes_hit += 1
        self.nodes_lost_at = time.monotonic()
        for life in list(self.lab.player.lives.values()):
            if life.cast.node == name:
                self.hits[run_of(life.cast)] += 1
                self.tell(f"  with {life.cast.name} of {life.cast.competition} seed {life.cast.seed}")

    def find_nodes(self) -> None:
        """They were only cut off: what their agents left comes now, when others may have begun in their place."""
        lost = self.lab.nodes.names[:LOST_NODES]
        for pod in [pod for pod in self.lab.player.pods.list() if pod["spec"].get("nodeName") in lost]:
            life = Life(pod)
            if life.cast.role is Role.AGENT and "deletionTimestamp" in pod["metadata"]:
                left = None if run_of(life.cast) in self.zeros else b"id,y\n1,late\n"
                leave_everything(self.direct, life.order("courier", CourierOrder), 1.0, submission=left)
                self.tell(f"  late word of {life.cast.name}")
            name, namespace, uid = (pod["metadata"][key] for key in ("name", "namespace", "uid"))
            self._until_answered(partial(self.lab.api.delete, PODS, namespace, name, uid, grace_seconds=0))
        for name in lost:
            self._until_answered(partial(self.lab.nodes.find, name))

    def lose_store(self, seconds: float) -> None:
        self.proxy.be_away()
        self._heal_store_after(seconds)

    def slow_store(self, seconds: float) -> None:
        self.proxy.be_slow(0.2)
        self._heal_store_after(seconds)

    def _heal_store_after(self, seconds: float) -> None:
        timer = Timer(seconds, self.heal_store)
        timer.daemon = True
        timer.start()

    def refuse_at_store(self, count: float) -> None:
        self.proxy.refuse(int(count))

    def lose_answers_of_store(self, count: float) -> None:
        self.proxy.lose_answers(int(count))

    def heal_store(self) -> None:
        self.tell("the store is well")
        self.proxy.be_well()

    def _until_answered(self, ask: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + 60
        while True:
            try:
                return ask()
            except ApiError:
                assert time.monotonic() < deadline
                time.sleep(0.2)

    # What comes of it.

    def controllers(self) -> list[ControllerProcess]:
        return [one for one in self.lab.controllers if one.process.poll() is None]

    def have_a_controller(self) -> None:
        """As a Deployment does: one that can't hand over in time ends by itself."""
        if not self.controllers():
            self.tell(f"another controller; the last one ended with {self.lab.controllers[-1].process.returncode}")
            self.lab.controller(wait=False)

    def look_at_counts(self) -> None:
        for place, controller in enumerate(self.lab.controllers):
            if controller.process.poll() is None:
                with suppress(OSError):
                    self.counted[place] = total(controller.get("/metrics"), r"mlectl_attempts_total\{.*\}")

    def is_done(self) -> bool:
        """Whether it has succeeded, tells where its report is, its Jobs are gone, and a leader has seen all that."""
        self.have_a_controller()
        try:
            status = self.lab.status()
            is_over = status.get("phase") == "Succeeded" and "report" in status and not self.lab.jobs()
            return is_over and total(self.leaders_metrics(), r"mlectl_runs\{.*\}") == len(self.runs)
        except (ApiError, OSError):
            return False

    def leaders_metrics(self) -> str:
        leader = next((one for one in self.controllers() if one.leads), None)
        return leader.get("/metrics") if leader else ""

    def aftermath(self) -> Aftermath:
        keys, store = self.lab.keys(self.experiment), self.direct.runs
        reports, outcomes = {}, {}
        for name in store.keys(f"{keys.prefix}/"):
            if match := REPORT_KEY.search(name):
                reports[RunKey(match["competition"], int(match["seed"]))] = json.loads(store.read(name) or b"{}")
            elif name.endswith("/outcome.json") and (match := ATTEMPT_KEY.search(name)):
                key = AttemptKey(match["competition"], int(match["seed"]), int(match["attempt"]))
                outcomes[key] = OUTCOME.validate_json(store.read(name) or b"{}")
        self.look_at_counts()
        return Aftermath(
            runs=frozenset(self.runs),
            zeros=self.zeros,
            stumbled=self.stumbled,
            reports=reports,
            writes=dict(self.reports.writes),
            outcomes=outcomes,
            status=self.lab.status(),
            begun=[
                AttemptKey(cast.competition, cast.seed, cast.attempt)
                for cast in list(self.lab.player.played)
                if cast.role is Role.AGENT and cast.seed is not None
            ],
            jobs=[job["metadata"]["name"] for job in self.lab.jobs()],
            metrics=self.leaders_metrics(),
            judged=sum(self.counted.values()),
            is_judged_by_one=len(self.lab.controllers) == 1,
            published=json.loads(store.read(keys.report) or b"{}"),
        )

    def tell_all(self) -> str:
        """For a person who looks for what went wrong."""
        moments = "\n".join(f"{moment.at:6.0%}  {moment}" for moment in draw_moments(self.seed, kills=self.kills))
        return "\n".join([f"Chaos of seed {self.seed}, as planned:", moments, "as it went:", *self.story])


def run_of(cast: Cast) -> RunKey:
    return RunKey(cast.competition, -1 if cast.seed is None else cast.seed)
