"""Requests over the library's own connection pool, without its model objects, which are slow and large.

Whatever goes wrong on the way becomes an `ApiError`. Credentials are renewed in two ways: the library renews tokens
that it knows to expire (a service account's, an exec plug-in's), and when the API server says 401 the configuration is
read anew, once, which covers client certificates of exec plug-ins and files that somebody replaced.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any
from urllib.parse import urlencode

import urllib3

from orchestrator.cluster.kubernetes.errors import ApiError, Unauthorized, Unavailable, error_of
from orchestrator.cluster.kubernetes.kubeconfig import BadKubeconfig, Target

CONNECT_SECONDS = 5.0
IDLE_CONNECTIONS = 32
RENEW_EVERY_SECONDS = 10.0
"""Credentials that are refused are read anew no more often than that."""


class Connection:
    """One API server, one identity; for any number of threads."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._generation = 0
        self._agent = f"mlectl/{version('mlectl')}"
        self._load()

    @property
    def server(self) -> str:
        return str(self._configuration.host)

    def ask(
        self,
        method: str,
        path: str,
        request: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content: str = "application/json",
        seconds: float | None,
    ) -> urllib3.BaseHTTPResponse:
        """The answer, its body not yet read, when its status is 2xx; an ApiError otherwise.

        `request` names what is asked, for messages. `seconds` is the limit of each wait on the network; None: as long
        as the connection lives.
        """
        generation = self._generation
        try:
            return self._ask_once(method, path, request, query, body, content, seconds)
        except Unauthorized:
            if not self._renewed(generation):
                raise
        return self._ask_once(method, path, request, query, body, content, seconds)

    def close(self) -> None:
        self._pool.clear()

    def _ask_once(
        self,
        method: str,
        path: str,
        request: str,
        query: Mapping[str, str] | None,
        body: Any,
        content: str,
        seconds: float | None,
    ) -> urllib3.BaseHTTPResponse:
        url = f"{self.server}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {"Accept": "application/json", "User-Agent": self._agent, **self._credentials()}
        if body is not None:
            headers["Content-Type"] = content
        try:
            answer = self._pool.request(
                method,
                url,
                headers=headers,
                body=None if body is None else json.dumps(body, separators=(",", ":")).encode(),
                timeout=urllib3.Timeout(connect=min(CONNECT_SECONDS, seconds or CONNECT_SECONDS), read=seconds),
                preload_content=False,
                retries=False,
            )
        except urllib3.exceptions.HTTPError as error:
            raise no_answer(self.server, request, error) from error
        if 200 <= answer.status < 300:
            return answer
        raise error_of(answer.status, read_all(answer, self.server, request), request, _retry_after(answer))

    def _credentials(self) -> dict[str, str]:
        with self._lock:  # renewing may run a plug-in: once, not once a thread
            bearer = self._configuration.auth_settings().get("BearerToken")
        value = bearer and bearer["value"]
        return {"Authorization": value.strip()} if value else {}

    def _renewed(self, generation: int) -> bool:
        """Whether there are other credentials than those of that generation; reads them, unless that was just done."""
        with self._lock:
            if self._generation == generation and time.monotonic() - self._loaded_at > RENEW_EVERY_SECONDS:
                with suppress(BadKubeconfig):
                    self._load()
            return self._generation != generation

    def _load(self) -> None:
        from kubernetes.client.rest import RESTClientObject

        configuration = self._target.configuration()
        configuration.connection_pool_maxsize = IDLE_CONNECTIONS
        configuration.keep_alive = True
        self._configuration = configuration
        self._pool: urllib3.PoolManager = RESTClientObject(configuration).pool_manager
        self._loaded_at = time.monotonic()
        self._generation += 1


def read_all(answer: urllib3.BaseHTTPResponse, server: str, request: str) -> bytes:
    """The whole body; the connection then serves the next request."""
    try:
        return answer.read()
    except urllib3.exceptions.HTTPError as error:
        raise no_answer(server, request, error) from error


def no_answer(server: str, request: str, error: Exception) -> ApiError:
    if isinstance(error, urllib3.exceptions.SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        message = f"{server} shows a certificate that is not trusted ({error}); correct the kubeconfig's authority."
        return Unavailable(0, "BadCertificate", message)
    return Unavailable(0, "NoAnswer", f"{server} does not answer ({request}): {_cause(error)}")


def _cause(error: Exception) -> str:
    """The operating system's few words, where urllib3 wrapped them in a longer story."""
    below = error.__cause__ or error.__context__
    return str(below.strerror) if isinstance(below, OSError) and below.strerror else str(error)


def _retry_after(answer: urllib3.BaseHTTPResponse) -> float | None:
    told = answer.headers.get("Retry-After", "")
    return float(told) if told.isdigit() else None
