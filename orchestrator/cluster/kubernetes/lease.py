"""One leader among replicas, by a Lease of the API server.

The library has an election too; it is not used because it can't be stopped, never releases, trusts the wall clock, and
ends without a word when the API server refuses a connection.

The leader renews every few seconds. From the moment before its last successful renewal was sent it believes in its
leadership for `renew_seconds`; the others wait `lease_seconds`, which is longer, from the moment at which they saw that
renewal. Both measure on their own clocks, so clocks may differ, and a leader that can't reach the API server stops
before another can start. In between lie `lease_seconds - renew_seconds`: by then `on_stopped` must have ended the work.

Two threads: one talks to the API server, and may hang; the other only keeps time and calls back, and never hangs.
"""

from __future__ import annotations

import logging
import random
import socket
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import AlreadyExists, ApiError, Conflict, NotFound
from orchestrator.cluster.kubernetes.kinds import LEASES, Object

log = logging.getLogger(__name__)


def default_identity() -> str:
    """The pod's name, and something of this process alone: a restarted container is another candidate."""
    return f"{socket.gethostname()}_{uuid.uuid4().hex[:8]}"


def _boot_clock() -> float:
    """Goes on while the machine sleeps, as the other replicas' clocks do."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True)
class Terms:
    """How long a leader is believed in; the defaults are those of Kubernetes' own controllers."""

    lease_seconds: int = 15
    renew_seconds: float = 10.0
    retry_seconds: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < self.retry_seconds < self.renew_seconds < self.lease_seconds:
            raise ValueError("A lease needs retry_seconds < renew_seconds < lease_seconds.")


class Leadership:
    """A candidate. `on_started` and `on_stopped` are called in turn, never at the same time; both must return soon."""

    def __init__(
        self,
        api: Api,
        namespace: str,
        name: str,
        *,
        on_started: Callable[[], None],
        on_stopped: Callable[[], None],
        identity: str | None = None,
        terms: Terms = Terms(),  # noqa: B008 (frozen)
        clock: Callable[[], float] = _boot_clock,
    ) -> None:
        self.identity = identity or default_identity()
        self._api = api.within(max(1.0, terms.renew_seconds / 2))
        self._namespace = namespace
        self._name = name
        self._on_started = on_started
        self._on_stopped = on_stopped
        self._terms = terms
        self._clock = clock

        self._state = threading.Condition()
        self._believe_until = 0.0
        self._is_told = False
        """Whether `on_started` was called, and `on_stopped` not since."""
        self._is_stopping = False
        self._lease: Object | None = None
        """As last seen."""
        self._lease_since = 0.0
        """Since when it has looked like that, by our clock."""
        self._problem = False
        self._candidate = threading.Thread(target=self._campaign, name="lease-candidate", daemon=True)
        self._herald = threading.Thread(target=self._keep_time, name="lease-herald", daemon=True)

    def start(self) -> None:
        self._candidate.start()
        self._herald.start()

    def stop(self, timeout: float = 30.0) -> None:
        """End the work by `on_stopped`, then give the lease back, so that another can take it at once."""
        with self._state:
            self._is_stopping = True
            self._state.notify_all()
        deadline = time.monotonic() + timeout
        for thread in (self._herald, self._candidate):
            if thread.ident is not None and thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def is_leader(self) -> bool:
        """By the clock, so it is right at once even in a process that was halted for a while."""
        return self._clock() < self._believe_until

    @property
    def holder(self) -> str:
        """Who leads, as far as is known; empty if nobody."""
        return _holder(self._lease) if self._lease is not None else ""

    @property
    def reference(self) -> Object | None:
        """What makes the garbage collector remove an object of this namespace together with the lease; None while there
        is none."""
        lease = self._lease
        if lease is None:
            return None
        return {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.name,
            "name": self._name,
            "uid": lease["metadata"]["uid"],
        }

    def _keep_time(self) -> None:
        """Calls back at every turn, at the moment that it is due."""
        while True:
            with self._state:
                while not (turn := self._turn()):
                    self._state.wait(self._believe_until - self._clock() if self._is_told else None)
                self._is_told = turn != "ended"
            if turn == "started":
                log.info("%s leads now.", self.identity)
                self._call(self._on_started)
            elif turn == "stopped":
                log.log(logging.INFO if self._is_stopping else logging.WARNING, "%s leads no more.", self.identity)
                self._call(self._on_stopped)
                with self._state:
                    self._believe_until = 0.0
                    self._is_told = False
                    self._state.notify_all()
            else:
                return

    def _turn(self) -> str:
        if self._is_told:
            return "stopped" if self._is_stopping or not self.is_leader else ""
        if self._is_stopping:
            return "ended"
        return "started" if self.is_leader else ""

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception:
            log.exception("A callback of the election failed.")

    def _campaign(self) -> None:
        """Renews or tries to get the lease until the work has ended, then gives it back."""
        while not self._has_ended():
            try:
                self._try()
                self._problem = False
            except ApiError as error:
                log.log(logging.DEBUG if self._problem else logging.WARNING, "The lease is out of reach: %s", error)
                self._problem = True
            except Exception:
                log.exception("The election failed for once; it goes on.")
            with self._state:
                self._state.wait_for(self._has_ended, self._terms.retry_seconds * random.uniform(0.9, 1.1))
        self._release()

    def _has_ended(self) -> bool:
        return self._is_stopping and not self._is_told

    def _try(self) -> None:
        if self._is_told and not self.is_leader:
            return  # what we lost is taken up anew only when the old work has ended
        if self._lease is None or not self.is_leader:
            self._look()
        if not self._may_take():
            return
        sent_at = self._clock()
        try:
            written = self._write()
        except (Conflict, AlreadyExists, NotFound):
            # Another was faster, or the answer to our own last write was lost: the lease itself knows.
            self._look()
            if self._lease is None or _holder(self._lease) != self.identity:
                self._believe(0.0)
            return
        self._see(written)
        self._believe(sent_at + self._terms.renew_seconds)

    def _look(self) -> None:
        found = self._api.get(LEASES, self._namespace, self._name)
        if found is None:
            self._lease = None
        elif self._lease is None or _version(found) != _version(self._lease):
            self._see(found)

    def _see(self, lease: Object) -> None:
        self._lease = lease
        self._lease_since = self._clock()

    def _may_take(self) -> bool:
        if self._lease is None or _holder(self._lease) in ("", self.identity):
            return True
        valid = self._lease["spec"].get("leaseDurationSeconds") or self._terms.lease_seconds
        return self._clock() >= self._lease_since + valid

    def _write(self) -> Object:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        old = (self._lease or {}).get("spec") or {}
        spec: Object = {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": self._terms.lease_seconds,
            "renewTime": now,
        }
        if old.get("holderIdentity") != self.identity:
            spec |= {"acquireTime": now, "leaseTransitions": (old.get("leaseTransitions") or 0) + 1}
        if self._lease is None:
            lease = {
                "apiVersion": LEASES.api_version,
                "kind": LEASES.name,
                "metadata": {"name": self._name},
                "spec": spec,
            }
            return self._api.create(LEASES, self._namespace, lease)
        return self._change(spec)

    def _change(self, spec: Object) -> Object:
        """Only if nobody else changed it since we looked."""
        version = {"resourceVersion": _version(self._lease or {})}
        return self._api.patch(LEASES, self._namespace, self._name, {"metadata": version, "spec": spec})

    def _believe(self, until: float) -> None:
        with self._state:
            self._believe_until = 0.0 if self._has_ended() else until
            self._state.notify_all()

    def _release(self) -> None:
        if self._lease is None or _holder(self._lease) != self.identity:
            return
        try:
            self._change({"holderIdentity": "", "leaseDurationSeconds": 1})
        except ApiError as error:
            log.warning("The lease could not be given back (%s): it expires by itself.", error)


def _holder(lease: Object) -> str:
    return (lease.get("spec") or {}).get("holderIdentity") or ""


def _version(lease: Object) -> str:
    return str(lease["metadata"]["resourceVersion"])
