"""The API server, by the few verbs that this project uses; raw JSON in and out.

Every request has a time limit. An API server that asks to be left alone for a moment (429 or 503 with Retry-After) is
asked again after it, within that limit; everything else that fails is an `ApiError`, and whether to try again is the
caller's decision.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import urllib3
from pydantic_core import from_json

from orchestrator.cluster.kubernetes.connection import Connection, read_all
from orchestrator.cluster.kubernetes.errors import ApiError, Conflict, Gone, NotFound, Unavailable
from orchestrator.cluster.kubernetes.kinds import PODS, Kind, Object
from orchestrator.cluster.kubernetes.kubeconfig import find_target
from orchestrator.cluster.kubernetes.shapes import pages_of
from orchestrator.cluster.kubernetes.stream import Stream, Watch

MANAGER = "mlectl"
"""Whose fields they are, in an object's managedFields."""
REQUEST_SECONDS = 30.0
PAGE = 250
"""Objects of a list asked for at once. An agent's Job is 19 kB of JSON, of which little is kept; larger pages take more
memory and were not faster."""
WATCH_SECONDS = 300
"""After that the server ends a watch and another follows; spread, so that they don't all end at once."""
WATCH_SILENCE_SECONDS = 90.0
"""Bookmarks come every minute: a watch that was silent for longer has lost its server."""

OnRequest = Callable[[str, Kind, int, float], None]
"""Told of every request: verb, kind, HTTP status (0: no answer), seconds until the answer began."""

_PATCHES = {"merge": "application/merge-patch+json", "apply": "application/apply-patch+yaml"}


@dataclass(frozen=True)
class Listing:
    """Objects as they were at one moment, and that moment's version, from which a watch goes on.

    The items of built-in kinds have neither apiVersion nor kind: so the API server sends them.
    """

    items: list[Object]
    resource_version: str


def read_object(data: bytes) -> Any:
    return from_json(data)  # a third faster than json's, and equal strings are one


class Api:
    """One API server; for any number of threads."""

    def __init__(
        self,
        connection: Connection,
        namespace: str = "default",
        *,
        seconds: float = REQUEST_SECONDS,
        on_request: OnRequest | None = None,
    ) -> None:
        self.namespace = namespace
        """Of the context, or of the pod we are in."""
        self.on_request = on_request
        self._connection = connection
        self._seconds = seconds

    @classmethod
    def connect(cls, kubeconfig: Path | None = None, context: str | None = None) -> Api:
        """By kubectl's conventions; BadKubeconfig says what is missing. Nothing is sent yet."""
        target = find_target(kubeconfig, context)
        return cls(Connection(target), target.namespace)

    @property
    def server(self) -> str:
        return self._connection.server

    def within(self, seconds: float) -> Api:
        """The same API server over the same connections, with another time limit."""
        return Api(self._connection, self.namespace, seconds=seconds, on_request=self.on_request)

    def close(self) -> None:
        """Let go of idle connections."""
        self._connection.close()

    def get(self, kind: Kind, namespace: str | None, name: str) -> Object | None:
        """The object, or None if it is not there."""
        try:
            return self._object("get", "GET", kind, namespace, name)
        except NotFound:
            return None

    def list(
        self,
        kind: Kind,
        namespace: str | None = None,
        selector: str = "",
        *,
        trim: Callable[[Object], Object] = lambda item: item,
        shape: Any = None,
    ) -> Listing:
        """All objects of a namespace (None: of all) with these labels, as of one moment.

        They are fetched in pages, and each page is put through `trim` before the next is asked for, so that a large
        list never lies in memory whole. `shape`: what is read of them (`shapes.py`); None: everything.
        """
        read = read_object if shape is None else pages_of(shape).decode
        try:
            return self._pages(kind, namespace, selector, trim, read, PAGE)
        except Gone:  # reading the pages took longer than the server keeps old versions
            return self._pages(kind, namespace, selector, trim, read, 0)

    def create(self, kind: Kind, namespace: str | None, body: Object) -> Object:
        """The object as the API server made it; AlreadyExists if the name is taken."""
        query = {"fieldManager": MANAGER}
        return self._object("create", "POST", kind, namespace, body=body, query=query)

    def patch(
        self,
        kind: Kind,
        namespace: str | None,
        name: str,
        change: Object,
        *,
        subresource: str = "",
        how: Literal["merge", "apply"] = "merge",
    ) -> Object:
        """The object after the change.

        merge: null removes a field, a list is replaced; with metadata.resourceVersion in it, Conflict if the object is
        another one by now. apply: server-side apply, which creates the object if need be, and takes its fields over.
        """
        query = {"fieldManager": MANAGER, **({"force": "true"} if how == "apply" else {})}
        content = _PATCHES[how]
        return self._object("patch", "PATCH", kind, namespace, name, subresource, change, query, content)

    def delete(
        self,
        kind: Kind,
        namespace: str | None,
        name: str,
        uid: str | None = None,
        *,
        grace_seconds: int | None = None,
    ) -> bool:
        """Ask for its end; what it owns goes after it. False if it (or, with `uid`, that very one) is gone already."""
        options: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        try:
            self._object("delete", "DELETE", kind, namespace, name, body=options)
        except NotFound:
            return False
        except Conflict:
            there = self.get(kind, namespace, name)
            if uid is None or (there is not None and there["metadata"]["uid"] == uid):
                raise
            return False
        return True

    def watch(self, kind: Kind, namespace: str | None = None, selector: str = "", resource_version: str = "") -> Watch:
        """News since that version, bookmarks among them. Gone, now or while iterating, means: list again."""
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(random.randint(WATCH_SECONDS * 3 // 4, WATCH_SECONDS)),
            "resourceVersion": resource_version,
            **({"labelSelector": selector} if selector else {}),
        }
        request = f"watch {kind} {namespace or ''}".rstrip()
        answer = self._answer("watch", "GET", kind, kind.path(namespace), request, query, wait=WATCH_SILENCE_SECONDS)
        return Watch(Stream(answer, self.server, request), request)

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str,
        *,
        follow: bool = False,
        tail_lines: int | None = None,
        previous: bool = False,
        timestamps: bool = False,
        since: str = "",
    ) -> Stream:
        """What a container wrote; with `follow`, on and on until it ends. NotFound if the pod is gone.

        `timestamps` puts its time before each line, and `since` one of them leaves out what is seconds older.
        """
        query = {
            "container": container,
            **({"follow": "true"} if follow else {}),
            **({"previous": "true"} if previous else {}),
            **({"timestamps": "true"} if timestamps else {}),
            **({"sinceTime": since} if since else {}),
            **({"tailLines": str(tail_lines)} if tail_lines is not None else {}),
        }
        request = f"logs of {namespace}/{pod} {container}"
        wait = None if follow else self._seconds
        answer = self._answer("logs", "GET", PODS, PODS.path(namespace, pod, "log"), request, query, wait=wait)
        return Stream(answer, self.server, request)

    def _pages(
        self,
        kind: Kind,
        namespace: str | None,
        selector: str,
        trim: Callable[[Object], Object],
        read: Callable[[bytes], Any],
        limit: int,
    ) -> Listing:
        items: list[Object] = []
        query = {**({"labelSelector": selector} if selector else {}), **({"limit": str(limit)} if limit else {})}
        while True:
            page = self._object("list", "GET", kind, namespace, query=query, read=read)
            metadata = page.get("metadata")
            if not isinstance(metadata, dict):
                words = f"list {kind}: {self.server} answered with something else than a list; is it an API server?"
                raise Unavailable(200, "BadAnswer", words)
            items.extend(trim(item) for item in page.get("items") or ())
            following = metadata.get("continue")
            if not following:
                return Listing(items, str(metadata.get("resourceVersion", "")))
            query["continue"] = following

    def _object(
        self,
        verb: str,
        method: str,
        kind: Kind,
        namespace: str | None,
        name: str = "",
        subresource: str = "",
        body: Object | None = None,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
        read: Callable[[bytes], Any] = read_object,
    ) -> Object:
        what = "/".join(part for part in (namespace, name) if part)
        request = f"{verb} {kind} {what}".rstrip()
        path = kind.path(namespace, name, subresource)
        answer = self._answer(verb, method, kind, path, request, query, body, content, self._seconds)
        data = read_all(answer, self.server, request)
        try:
            found = read(data)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Unavailable(
                answer.status, "BadAnswer", f"{request}: {self.server} answered with something else than JSON."
            )
        return found

    def _answer(
        self,
        verb: str,
        method: str,
        kind: Kind,
        path: str,
        request: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        content: str = "application/json",
        wait: float | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """One request, repeated while the API server asks for a moment's patience and our limit has room for it."""
        give_up = time.monotonic() + self._seconds
        while True:
            started, status = time.monotonic(), 0
            try:
                answer = self._connection.ask(
                    method, path, request, query=query, body=body, content=content, seconds=wait
                )
                status = answer.status
                return answer
            except Unavailable as error:
                status = error.status
                if error.retry_after is None or time.monotonic() + error.retry_after > give_up:
                    raise
                pause = error.retry_after
            except ApiError as error:
                status = error.status
                raise
            finally:
                if self.on_request is not None:
                    self.on_request(verb, kind, status, time.monotonic() - started)
            time.sleep(pause)
