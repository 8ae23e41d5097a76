"""A validation endpoint in the reference dialect, on a real socket, that a test can make reject or hold its breath."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Validator:
    """Answers POST /validate; keeps what it was sent, and what of it it called valid."""

    def __init__(self, reject: Callable[[int], bool] = lambda number: False, hold_at: int | None = None) -> None:
        self.received: list[bytes] = []
        self.accepted: list[bytes] = []
        self.is_holding = threading.Event()
        self._let_go = threading.Event()
        self._reject, self._hold_at = reject, hold_at
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Validator:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, submission: bytes) -> dict[str, object]:
        self.received.append(submission)
        number = len(self.received)
        if number == self._hold_at:
            self.is_holding.set()
            self._let_go.wait()
        if self._reject(number):
            return {"result": "Submission invalid! It does not please me.", "is_valid": False}
        self.accepted.append(submission)
        return {"result": "Submission is valid."}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        validator = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                boundary = re.search(r"boundary=(.+)", self.headers["Content-Type"])
                assert self.path == "/validate"
                assert boundary
                head, _, rest = body.partition(b"\r\n\r\n")
                assert b'name="file"' in head
                answer = json.dumps(validator._answer(rest.rpartition(b"\r\n--" + boundary[1].encode())[0])).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler
