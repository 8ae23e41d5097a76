"""A store over HTTP that is out of order for as long as the test likes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast


class FailingStore(ThreadingHTTPServer):
    """Takes PUTs into a folder, or answers 503."""

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), Shelf)
        self.root = root
        self.is_down = False
        self.unwanted: set[str] = set()
        """Files that it does not take although it is up."""
        self.refused = 0
        self.order: list[str] = []

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}?signature=secret"


class Shelf(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        store = cast(FailingStore, self.server)
        data = self.rfile.read(int(self.headers["Content-Length"]))
        name = self.path.partition("?")[0].lstrip("/")
        if store.is_down or name in store.unwanted:
            store.refused += 1
            self.send_response(503)
        else:
            target = store.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            store.order.append(name)
            self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def failing_store(root: Path) -> Iterator[FailingStore]:
    store = FailingStore(root)
    thread = threading.Thread(target=store.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield store
    finally:
        store.shutdown()
        thread.join()
        store.server_close()
