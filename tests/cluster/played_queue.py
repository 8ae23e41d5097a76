"""Kueue's part, as the real one acts on Jobs.

It lets as many go as it has room for, and has that room back when a Job is finished or gone. One that it has let go and
somebody else suspends is let go again, and one that runs without its leave is suspended.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import ApiError
from orchestrator.cluster.kubernetes.kinds import JOBS, Object
from orchestrator.cluster.kubernetes.views import JobView

LOOK_SECONDS = 0.2


class PlayedQueue:
    """One queue of a namespace, first come first served."""

    def __init__(self, api: Api, namespace: str, name: str, room: int) -> None:
        self.api = api
        self.namespace = namespace
        self.name = name
        self.room = room
        self.admitted: set[str] = set()
        """Uids of Jobs that hold some of its room."""
        self.taken_back: set[str] = set()
        self.looks = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"queue-{name}", daemon=True)

    def __enter__(self) -> PlayedQueue:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def take_back(self, job: Object) -> None:
        """For somebody more important, and not to be let go again."""
        with self._lock:
            self.admitted.discard(job["metadata"]["uid"])
            self.taken_back.add(job["metadata"]["uid"])

    def _live(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            with self._lock, suppress(ApiError):
                self._look()
                self.looks += 1

    def _look(self) -> None:
        jobs = self.api.list(JOBS, self.namespace, f"{labels.QUEUE}={self.name}").items
        open_ones = {job["metadata"]["uid"]: job for job in jobs if not _is_finished(job)}
        self.admitted &= open_ones.keys()
        for uid, job in sorted(open_ones.items(), key=lambda item: item[1]["metadata"]["creationTimestamp"]):
            if uid not in self.taken_back and len(self.admitted) < self.room:
                self.admitted.add(uid)
            if job["spec"]["suspend"] is (uid in self.admitted):
                change = {"metadata": {"uid": uid}, "spec": {"suspend": uid not in self.admitted}}
                self.api.patch(JOBS, self.namespace, job["metadata"]["name"], change)


def _is_finished(job: Object) -> bool:
    return any(JobView(job).condition(kind) for kind in ("Complete", "Failed"))
