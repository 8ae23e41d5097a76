"""An answer that goes on: news of a watch, a container's log. Another thread can end it at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import urllib3

from orchestrator.cluster.kubernetes.connection import no_answer
from orchestrator.cluster.kubernetes.errors import Unavailable, error_told
from orchestrator.cluster.kubernetes.kinds import Object

CHUNK = 1 << 16


class News(NamedTuple):
    """One line of a watch: ADDED, MODIFIED, DELETED or BOOKMARK (an object of which only the version is of use)."""

    type: str
    object: Object


class Stream:
    """Bytes as they come. Ends when the server ends it or `close` is called; a broken connection is Unavailable."""

    def __init__(self, answer: urllib3.BaseHTTPResponse, server: str, request: str) -> None:
        self._answer = answer
        self._server = server
        self._request = request
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.stream(CHUNK)
        except (urllib3.exceptions.HTTPError, OSError, ValueError, AttributeError) as error:
            # A connection that `close` shut down beneath the reader ends in any of these.
            if not self._is_closed:
                raise no_answer(self._server, self._request, error) from error
        finally:
            self._answer.close()

    def close(self) -> None:
        """End it, from any thread: whoever reads stops within moments."""
        self._is_closed = True
        with suppress(OSError, ValueError, RuntimeError):  # it ended by itself meanwhile
            self._answer.shutdown()

    @property
    def is_closed(self) -> bool:
        return self._is_closed


class Watch:
    """News of objects in the order in which they happened. An error that the server tells is raised as one."""

    def __init__(self, stream: Stream, request: str) -> None:
        self._stream = stream
        self._request = request

    def __iter__(self) -> Iterator[News]:
        for line in _lines(self._stream):
            try:
                news = json.loads(line)
            except ValueError as error:
                raise Unavailable(0, "NoAnswer", f"{self._request}: the news broke off in the middle.") from error
            if news["type"] == "ERROR":
                raise error_told(news["object"], self._request)
            yield News(news["type"], news["object"])

    def close(self) -> None:
        self._stream.close()


def _lines(chunks: Stream) -> Iterator[bytes]:
    rest: list[bytes] = []
    for chunk in chunks:
        first, *more = chunk.split(b"\n")
        rest.append(first)
        for line in more:
            if whole := b"".join(rest):
                yield whole
            rest = [line]
    if (cut := b"".join(rest)) and not chunks.is_closed:
        yield cut
