"""A server on loopback that answers as an API server in trouble would: one handler a test, by path."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from orchestrator.cluster.kubernetes.api import Api


class Exchange(BaseHTTPRequestHandler):
    """One request, with a few words to answer it."""

    protocol_version = "HTTP/1.1"
    server: Troubled

    def handle_one(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        self.server.answer(self)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_one  # noqa: N815 (the library's names)

    def say(self, status: int, body: object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


class Troubled(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[Exchange], None]) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.answer = answer
        self.requests: list[tuple[str, str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what some tests are about."""


def write_kubeconfig(path: Path, url: str, **user: object) -> Path:
    content = {
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": "team"}}],
        "clusters": [{"name": "here", "cluster": {"server": url}}],
        "users": [{"name": "me", "user": user}],
        "current-context": "here",
    }
    path.write_text(json.dumps(content))
    return path


@contextmanager
def troubled(tmp_path: Path, answer: Callable[[Exchange], None], **user: object) -> Iterator[tuple[Api, Troubled]]:
    """An Api at a server that answers like this."""
    server = Troubled(answer)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    api = Api.connect(write_kubeconfig(tmp_path / "kubeconfig", server.url, **user))
    try:
        yield api, server
    finally:
        api.close()
        server.shutdown()
        server.server_close()
