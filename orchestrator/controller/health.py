"""One port for those who look after the controller: /healthz, /readyz, /metrics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Check = Callable[[], str | None]
"""Says in a sentence what is wrong; None: nothing."""

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class Page:
    status: HTTPStatus
    kind: str
    body: bytes


class HealthServer:
    """Answers from threads of its own."""

    def __init__(self, listen: str, *, healthz: Check, readyz: Check, metrics: Callable[[], bytes]) -> None:
        host, _, port = listen.rpartition(":")
        pages: Mapping[str, Callable[[], Page]] = {
            "/healthz": lambda: _checked(healthz),
            "/readyz": lambda: _checked(readyz),
            "/metrics": lambda: Page(HTTPStatus.OK, PROMETHEUS, metrics()),
        }

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                page = pages.get(self.path.partition("?")[0], _missing)()
                self.send_response(page.status)
                self.send_header("Content-Type", page.kind)
                self.send_header("Content-Length", str(len(page.body)))
                self.end_headers()
                self.wfile.write(page.body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Probes come every few seconds: they are no news."""

        self._server = ThreadingHTTPServer((host, int(port)), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="health", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _checked(check: Check) -> Page:
    wrong = check()
    status = HTTPStatus.OK if wrong is None else HTTPStatus.SERVICE_UNAVAILABLE
    return Page(status, PLAIN, f"{wrong or 'ok'}\n".encode())


def _missing() -> Page:
    return Page(HTTPStatus.NOT_FOUND, PLAIN, b"There are /healthz, /readyz and /metrics.\n")
