"""`mlectl controller`: serves the ExperimentRuns of a cluster until it is told to stop.

    informers ──news──► queue ──► workers ──► reconcile
        ▲                            ▲
     every replica            only the leader

Every replica keeps what it watches warm; the one that holds the Lease works. One that loses the Lease stops, forgets
what it knows of the stores, because another one writes there now, and stands by.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from orchestrator.api.key import Key
from orchestrator.cluster.experiments import SpecRefused
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.cluster import KubernetesCluster
from orchestrator.cluster.kubernetes.lease import Leadership, Terms
from orchestrator.cluster.kubernetes.settings import BadSettings, Settings
from orchestrator.cluster.kubernetes.watched import Watched
from orchestrator.controller.counted_store import count_errors
from orchestrator.controller.durations import Durations
from orchestrator.controller.facts import known_competitions
from orchestrator.controller.farewell import Farewell
from orchestrator.controller.health import HealthServer
from orchestrator.controller.memory import Memory
from orchestrator.controller.metrics import Metrics, Standing
from orchestrator.controller.observe import agent_tasks
from orchestrator.controller.reconcile import Reconciler
from orchestrator.controller.stores import OpenStores
from orchestrator.controller.work import Work
from orchestrator.core.failures import Reason
from orchestrator.core.model import Event, Experiment, Plan, Seen, TaskPhase
from orchestrator.core.wording import show
from orchestrator.storage.store import StoreError

log = logging.getLogger("mlectl.controller")

LEASE = "mlectl-controller"
SWEEP = Key("", "")
"""In the queue: not an experiment, but the Jobs of those that are gone."""
RESYNC_SECONDS = 600.0
SYNC_SECONDS = 5.0
"""How long a leader waits for what it watches before it says that it waits."""
WORKERS = 4
STARTS_AT_ONCE = 8
FINISH_SECONDS = 20.0
"""How long a step at hand may take when we are told to stop; a pod has 30 s."""
HAND_OVER_SECONDS = 4.0
"""The same when the Lease is lost: less than the time until another one may lead."""


class Controller:
    """One replica."""

    def __init__(
        self,
        api: Api,
        settings: Settings,
        *,
        listen: str = "0.0.0.0:8081",
        identity: str | None = None,
        terms: Terms = Terms(),  # noqa: B008 (frozen)
    ) -> None:
        check_secret(settings)
        self.metrics = Metrics()
        api.on_request = self.metrics.api_request
        self.watched = Watched(api, settings)
        facts = known_competitions()
        self.cluster = KubernetesCluster(
            api, self.watched, settings, facts, installation=lambda: self.leadership.reference
        )
        stores = count_errors(OpenStores.of(settings.stores), lambda name: self.metrics.store_errors.labels(name).inc())
        self.leadership = Leadership(
            api,
            settings.namespace,
            LEASE,
            on_started=self._lead,
            on_stopped=self._stand_by,
            identity=identity,
            terms=terms,
        )
        self.reconciler = Reconciler(
            self.cluster,
            stores,
            facts,
            patience=settings.patience,
            at_once=STARTS_AT_ONCE,
            may_write=lambda: self.leadership.is_leader,
            on_step=self._took_step,
            on_judged=self.metrics.judged,
        )
        self.farewell = Farewell(self.cluster, stores.runs)
        self.health = HealthServer(listen, healthz=self._wrong, readyz=self._unready, metrics=self.metrics.render)
        self.work: Work | None = None
        """While this replica leads."""
        self.durations: dict[str, Durations] = {}
        self.is_stopping = False
        self.watched.on_news(self._news)
        self.watched.on_gone(lambda key: self._news(SWEEP))
        self.metrics.watch_queue(lambda: self.work.queue if self.work else None)

    def run(self, stop: threading.Event) -> None:
        """Serve until `stop` is set; then finish what is at hand and give the Lease back."""
        self.health.start()
        self.watched.start()
        self.leadership.start()
        log.info("serving; /healthz, /readyz and /metrics are on port %d", self.health.port)
        while not stop.wait(RESYNC_SECONDS):
            self._resync()
        self.is_stopping = True
        self.leadership.stop()
        self.watched.stop()
        self.health.stop()
        log.info("stopped")

    def step(self, key: Key) -> timedelta | None:
        """Bring one experiment a step further; when to look again without news, if at all."""
        now = datetime.now(UTC)
        if not self.watched.wait_synced(SYNC_SECONDS):
            log.warning("waiting for the API server: %s", self.watched.problem or "its lists are long")
            return timedelta(0)  # and go on waiting
        item = self.watched.experiment(key)
        if key == SWEEP:
            self._forget_others()
            self.farewell.sweep()
            return None
        if item is None:
            return None
        if "deletionTimestamp" in item["metadata"]:
            return self.farewell.end(item, now)
        try:
            taken = self.reconciler.reconcile(key, now)
        except StoreError as error:
            self._tell_why_it_waits(key, error)
            raise
        return taken.requeue_after if taken else None

    def _tell_why_it_waits(self, key: Key, error: StoreError) -> None:
        """On the experiment itself: its status can't be brought up to date without the store."""
        told = Event(Reason.STORE_UNAVAILABLE, show(f"The store is out of reach: {error}"), is_warning=True)
        with suppress(SpecRefused):
            if (experiment := self.cluster.experiment(key)) is not None:
                self.cluster.record(experiment, [told])

    def _news(self, key: Key) -> None:
        if (work := self.work) is not None:
            work.news(key)

    def _resync(self) -> None:
        """News may be lost in ways that nobody thought of; what is known is looked at now and then."""
        if (work := self.work) is not None:
            for key in (*self.watched.keys(), SWEEP):
                work.queue.add(key)

    def _lead(self) -> None:
        self.reconciler.observer.forget_all()
        self.metrics.leader.set(1)
        work = Work(self.step, self.metrics, workers=WORKERS)
        self.work = work  # from here on news reaches it; what was there before is added now
        work.start([SWEEP, *self.watched.keys()])

    def _stand_by(self) -> None:
        work, self.work = self.work, None
        self.metrics.leader.set(0)
        has_ended = work is None or work.stop(FINISH_SECONDS if self.is_stopping else HAND_OVER_SECONDS)
        self.metrics.experiments.keep_only([])  # the next leader shows them; shown by two they would count twice
        if has_ended:
            return
        log.error("a step did not end in time, and another controller may lead soon: this process ends now")
        os._exit(1)  # whatever it was writing is harmless when repeated

    def _took_step(self, experiment: Experiment, seen: Seen, plan: Plan) -> None:
        memory = self.reconciler.observer.memories.get(experiment.uid) or Memory()
        durations = self.durations.setdefault(experiment.uid, Durations(self.metrics))
        durations.look(seen.tasks, datetime.now(UTC), memory.clocks)
        self.metrics.preparations.look(seen.tasks)
        running = {
            key: task.started_at for key, task in agent_tasks(seen.tasks).items() if task.phase is TaskPhase.RUNNING
        }
        self.metrics.experiments.show(
            Key(experiment.namespace, experiment.name),
            Standing.of(experiment.spec, plan.status, memory, running),
        )

    def _forget_others(self) -> None:
        """Of experiments that are gone nothing is kept."""
        uids = self.watched.uids()
        self.reconciler.observer.forget_others(uids)
        for uid in self.durations.keys() - uids:
            self.durations.pop(uid, None)
        self.cluster.forget_others(uids)
        self.metrics.experiments.keep_only(self.watched.keys())

    def _wrong(self) -> str | None:
        work = self.work
        return None if work is None or work.is_whole else "A worker has ended."

    def _unready(self) -> str | None:
        if not self.watched.has_synced:
            return f"Waiting for the API server: {self.watched.problem or 'its first answer'}"
        return f"The API server is not heard: {self.watched.problem}" if self.watched.is_stale else None


def check_secret(settings: Settings) -> None:
    """Say at the start, and not at the first run, that tokens can't be made."""
    path = settings.validation.secret_file
    try:
        if path.read_text().strip():
            return
    except OSError as error:
        raise BadSettings(f"validation.secretFile: {path} can't be read: {error.strerror}.") from error
    raise BadSettings(f"validation.secretFile: {path} is empty; put a random key of at least 32 characters there.")
