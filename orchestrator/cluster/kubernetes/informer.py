"""Keeps a `Cache` in step with the API server: one list, then a watch that goes on from there.

The library has a SharedInformer; it is not used because it reconnects in a hot loop while the API server is away, makes
a model object of every piece of news, fetches lists in one piece and has no index.

    api server ──list, watch──► _Follower (a thread for each namespace) ──► Cache ──► on_change

A watch that ends is taken up where it stopped. When the API server no longer knows that place (410 Gone), the list is
read again and the differences are told, objects that vanished meanwhile among them. While the API server is away, what
is known stays readable and the pauses between attempts grow.
"""

from __future__ import annotations

import logging
import random
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from orchestrator.cluster.kubernetes.api import WATCH_SILENCE_SECONDS, Api
from orchestrator.cluster.kubernetes.cache import Cache, Change, Index, Scope
from orchestrator.cluster.kubernetes.errors import ApiError, Gone, Unavailable
from orchestrator.cluster.kubernetes.kinds import Kind, Object
from orchestrator.cluster.kubernetes.shapes import keep
from orchestrator.cluster.kubernetes.stream import News, Watch

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
STALE_SECONDS = 180.0
"""Bookmarks come every minute; whoever missed that many of them is behind."""

Objects = list[Object]
OnChange = Callable[[Object | None, Object | None], None]
"""Told (before, now): None before for a new object, None now for one that is gone."""


def without_bookkeeping(item: Object) -> Object:
    """A copy without what only the API server and kubectl need: often more than half of an object."""
    metadata = {key: value for key, value in item["metadata"].items() if key not in ("managedFields", "selfLink")}
    annotations = metadata.get("annotations")
    if annotations and LAST_APPLIED in annotations:
        metadata["annotations"] = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
    return {**item, "metadata": metadata}


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Informer:
    """What there is of one kind, in some namespaces or all, with some labels.

    Objects that come out of it are shared: nobody may change them. `trim` makes the copy that is kept, and shall leave
    `metadata` with namespace, name, uid, resourceVersion, deletionTimestamp and labels.
    """

    def __init__(
        self,
        api: Api,
        kind: Kind,
        namespaces: Iterable[str] = (),
        selector: str = "",
        *,
        index: Index = lambda item: None,
        trim: Callable[[Object], Object] = without_bookkeeping,
        shape: Any = None,
    ) -> None:
        """No `namespaces`: all of them. `index`: what `indexed` asks for. `shape`: what is kept of an object
        (`shapes.py`); without one `trim` says it."""
        self.kind = kind
        self._cache = Cache(index)
        self._trim = trim
        self._shape = shape
        self._callbacks: list[OnChange] = []
        scopes: tuple[Scope, ...] = tuple(dict.fromkeys(namespaces)) or (None,)
        self._followers = [
            _Follower(api, kind, scope, selector, self._lean, shape, self._cache, self._tell) for scope in scopes
        ]

    def on_change(self, callback: OnChange) -> None:
        """Call it on every change from now on, in the thread of whoever brings the news: it must not block."""
        self._callbacks.append(callback)

    def start(self) -> None:
        for follower in self._followers:
            follower.start()

    def stop(self, timeout: float = 1.0) -> None:
        """End the watches; what is known stays readable."""
        for follower in self._followers:
            follower.ask_to_stop()
        deadline = time.monotonic() + timeout
        for follower in self._followers:
            follower.join(max(0.0, deadline - time.monotonic()))

    @property
    def has_synced(self) -> bool:
        """Whether every namespace was listed once."""
        return all(follower.has_listed.is_set() for follower in self._followers)

    def wait_synced(self, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        return all(follower.has_listed.wait(max(0.0, deadline - time.monotonic())) for follower in self._followers)

    @property
    def seconds_since_contact(self) -> float:
        """How old the last word of the API server is, in the namespace where it is oldest."""
        return max(time.monotonic() - follower.heard_at for follower in self._followers)

    def is_stale(self, seconds: float = STALE_SECONDS) -> bool:
        return not self.has_synced or self.seconds_since_contact > seconds

    @property
    def problem(self) -> str | None:
        """Why the API server is not heard at the moment, if it is not."""
        return next((follower.problem for follower in self._followers if follower.problem), None)

    def get(self, namespace: str, name: str) -> Object | None:
        return self._cache.get(namespace, name)

    def list(self, namespace: Scope = None) -> Objects:
        return self._cache.all(namespace)

    def indexed(self, value: str) -> Objects:
        """Those of which the index tells this."""
        return self._cache.indexed(value)

    def __len__(self) -> int:
        return len(self._cache)

    def observe(self, item: Object) -> None:
        """Show the answer to a create or patch of ours at once; never in place of a newer version. It is not told to
        `on_change`, as whoever wrote it knows; what others changed just before it is. The object must be one that
        this informer's labels and namespaces cover."""
        self._cache.observe(self._lean(item))

    def forget(self, item: Object) -> None:
        """Hide an object that we deleted at once."""
        metadata = item["metadata"]
        self._cache.forget(metadata.get("namespace", ""), metadata["name"], metadata["uid"])

    def _lean(self, item: Object) -> Object:
        lean: Object = keep(self._shape, item) if self._shape else _with_shared_keys(self._trim(item))
        return lean

    def _tell(self, change: Change) -> None:
        for callback in self._callbacks:
            try:
                callback(change.old, change.new)
            except Exception:
                log.exception("A callback failed on a change of %s.", self.kind)


class _Follower(threading.Thread):
    """Lists and watches one namespace, or all."""

    def __init__(
        self,
        api: Api,
        kind: Kind,
        scope: Scope,
        selector: str,
        lean: Callable[[Object], Object],
        shape: Any,
        cache: Cache,
        tell: Callable[[Change], None],
    ) -> None:
        super().__init__(name=f"informer-{kind}-{scope or 'all'}", daemon=True)
        self._api = api
        self._kind = kind
        self._scope = scope
        self._selector = selector
        self._lean = lean
        self._shape = shape
        self._cache = cache
        self._tell = tell
        self._stopping = threading.Event()
        self._watch: Watch | None = None
        self._must_list = True
        self._pauses = 0
        self.has_listed = threading.Event()
        self.heard_at = time.monotonic()
        self.problem: str | None = None

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self._must_list:
                    self._list()
                if not self._follow():
                    self._pause(None)
            except Gone:
                self._must_list = True
                self._pause(None)
            except ApiError as error:
                self._report(error)
                self._pause(error.retry_after if isinstance(error, Unavailable) else None)
            except Exception:
                log.exception("Following %s failed; it starts again with a list.", self._kind)
                self._must_list = True
                self._pause(None)

    def ask_to_stop(self) -> None:
        self._stopping.set()
        if self._watch is not None:
            self._watch.close()

    def join(self, timeout: float | None = None) -> None:
        if self.ident is not None:
            super().join(timeout)

    def _list(self) -> None:
        listing = (
            self._api.list(self._kind, self._scope, self._selector, shape=self._shape)
            if self._shape
            else self._api.list(self._kind, self._scope, self._selector, trim=self._lean)
        )
        self._heard()
        for change in self._cache.replace(self._scope, listing):
            self._tell(change)
        self._must_list = False
        self.has_listed.set()

    def _follow(self) -> bool:
        """Watch until the watch ends; whether it was of any use."""
        started = time.monotonic()
        watch = self._api.watch(self._kind, self._scope, self._selector, self._cache.seen(self._scope))
        self._watch = watch
        self._heard()
        if self._stopping.is_set():  # asked before there was a watch to close
            watch.close()
        was_of_use = False
        try:
            for news in watch:
                if self._stopping.is_set():
                    break
                was_of_use = True
                self._take_in(news)
        except Unavailable:
            # Not even a bookmark came: an etcd that was restored from a backup may not have our version yet.
            self._must_list = not was_of_use and time.monotonic() - started >= WATCH_SILENCE_SECONDS
            raise
        return was_of_use or time.monotonic() - started > LONGEST_PAUSE_SECONDS

    def _take_in(self, news: News) -> None:
        self._heard()
        self._pauses = 0
        item = news.object if news.type == "BOOKMARK" else self._lean(news.object)
        change = self._cache.follow(self._scope, News(news.type, item))
        if change is not None:
            self._tell(change)

    def _heard(self) -> None:
        if self.problem is not None:
            log.info("%s are followed again.", self._kind)
        self.heard_at = time.monotonic()
        self.problem = None

    def _report(self, error: ApiError) -> None:
        """Once, not at every attempt."""
        if self.problem is None:
            log.warning("%s can't be followed for now: %s", self._kind, error)
        self.problem = str(error)

    def _pause(self, at_least: float | None) -> None:
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(self._pauses, 20))
        self._pauses += 1
        self._stopping.wait(max(at_least or 0.0, longest * (0.5 + random.random() / 2)))


def _with_shared_keys(value: Any) -> Any:
    """The same with one copy of every key in memory: the parser makes new ones for each piece of news."""
    if isinstance(value, dict):
        return {sys.intern(key): _with_shared_keys(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_with_shared_keys(below) for below in value]
    return value
