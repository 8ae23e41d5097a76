"""The workers of a leader: they take experiments from a queue and bring each a step further."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from datetime import timedelta

from orchestrator.api.key import Key
from orchestrator.cluster.kubernetes.errors import ApiError, Conflict
from orchestrator.cluster.kubernetes.queue import WorkQueue
from orchestrator.controller.act import NotLeading
from orchestrator.controller.logs import about
from orchestrator.controller.metrics import Metrics
from orchestrator.storage.store import StoreError

log = logging.getLogger("mlectl.controller")

Step = Callable[[Key], timedelta | None]
"""Brings an experiment a step further; when to look again without news, if at all."""

NEWS_SECONDS = 0.05
"""News comes in flocks (a Job and its pod, ten pods of a node): the first of them waits this long for the others."""
ONCE_MORE_SECONDS = 1.0
LONGEST_RETRY_SECONDS = 30.0


class Work:
    """One term of leadership."""

    def __init__(self, step: Step, metrics: Metrics, *, workers: int) -> None:
        self.step = step
        self.metrics = metrics
        self.queue: WorkQueue[Key] = WorkQueue(longest_delay=LONGEST_RETRY_SECONDS)
        self.threads = [
            threading.Thread(target=self._work, name=f"worker-{number}", daemon=True) for number in range(workers)
        ]

    def start(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self.queue.add(key)
        for thread in self.threads:
            thread.start()

    def news(self, key: Key) -> None:
        self.queue.add_after(key, NEWS_SECONDS)

    def stop(self, timeout: float) -> bool:
        """Finish the steps at hand and begin no other; whether all have ended in time."""
        self.queue.shut_down(drain=False)
        deadline = time.monotonic() + timeout
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self.threads)

    @property
    def is_whole(self) -> bool:
        return all(thread.is_alive() for thread in self.threads)

    def _work(self) -> None:
        while (key := self.queue.get()) is not None:
            with about(f"{key.namespace}/{key.name}"), self.metrics.reconcile.time():
                self._take(key)

    def _take(self, key: Key) -> None:
        """One step. Whatever goes wrong is logged once, here, and tried again later."""
        try:
            again = self.step(key)
            self.queue.forget(key)
            if again is not None:
                self.queue.add_after(key, again.total_seconds())
        except NotLeading:
            log.info("left it to the next leader")
            self.queue.add_after(key, ONCE_MORE_SECONDS)  # who may be this one: a Lease can be renewed a moment late
        except Conflict:
            self._retry(key, "conflict")  # somebody changed it while we looked: the news of that is on its way
        except StoreError as error:
            log.warning("the store is out of reach: %s", error)
            self._retry(key, "store")
        except ApiError as error:
            log.warning("the API server refused or did not answer: %s", error)
            self._retry(key, "api")
        except Exception:
            log.exception("a reconcile failed, which is a defect")
            self._retry(key, "defect")
        finally:
            self.queue.done(key)

    def _retry(self, key: Key, cause: str) -> None:
        if cause != "conflict":
            self.metrics.reconcile_errors.labels(cause).inc()
        self.metrics.queue_retries.inc()
        self.queue.retry(key)
