"""A small HTTP server for clients that may mean harm: bounded in threads, in time and in what it reads.

Each request has one connection, one thread and a deadline: a client that trickles its bytes in is cut off however
regularly it does so. Whoever comes when all threads are taken is told to come back.
"""

from __future__ import annotations

import io
import json
import logging
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self

log = logging.getLogger("mlectl.serving")

HEADER_SECONDS = 10.0
IDLE_SECONDS = 20.0
BUSY = b'{"error": "All places are taken.", "details": "Too many requests at once; try again in a few seconds."}'


class Refusal(Exception):
    """The request is answered with an error: a status, a sentence, and what to do."""

    def __init__(self, status: int, error: str, details: str, retry_after_seconds: int | None = None) -> None:
        super().__init__(f"{error} {details}")
        self.status = status
        self.body = {"error": error, "details": details}
        self.headers = {} if retry_after_seconds is None else {"Retry-After": str(retry_after_seconds)}


def open_listener(address: str) -> socket.socket:
    """A listening socket: `host:port`, `unix:/path`, or `fd:N` for one that was handed in."""
    kind, _, rest = address.partition(":")
    if kind == "fd":
        return socket.socket(fileno=int(rest))
    if kind == "unix":
        Path(rest).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(rest)
        listener.listen(64)
        return listener
    host, _, port = address.rpartition(":")
    return socket.create_server((host.strip("[]"), int(port)), backlog=64)


class Server(socketserver.TCPServer):
    """Answers at a listening socket, each request in a thread, never more than `most_at_once`."""

    request_queue_size = 64

    def __init__(
        self, listener: socket.socket, handler: type[Exchange], *, most_at_once: int, most_per_client: int | None = None
    ) -> None:
        super().__init__(("", 0), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_address = listener.getsockname()
        self.slots = threading.Semaphore(most_at_once)
        self.most_per_client = most_per_client or most_at_once
        self.clients: Counter[str] = Counter()
        self.lock = threading.Lock()

    @contextmanager
    def in_background(self, name: str) -> Iterator[Self]:
        """Answer in a thread of that name, for as long as the block lasts."""
        thread = threading.Thread(target=self.serve_forever, args=(0.1,), name=name, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        client = client_address[0] if client_address else ""
        if not self._enter(client):
            turn_away(request)
            self.shutdown_request(request)
            return
        threading.Thread(target=self._serve, args=(request, client_address, client), daemon=True).start()

    def _enter(self, client: str) -> bool:
        with self.lock:
            if self.clients[client] >= self.most_per_client or not self.slots.acquire(blocking=False):
                return False
            self.clients[client] += 1
            return True

    def _serve(self, request: Any, client_address: Any, client: str) -> None:
        try:
            self.finish_request(request, client_address)
        except OSError as error:
            log.info("a client went away: %s", error)
        finally:
            self.shutdown_request(request)
            with self.lock:
                self.clients[client] -= 1
                if not self.clients[client]:
                    del self.clients[client]
            self.slots.release()


def turn_away(request: socket.socket) -> None:
    head = f"HTTP/1.1 503 Busy\r\nContent-Type: application/json\r\nContent-Length: {len(BUSY)}\r\nRetry-After: 2\r\n"
    with suppress(OSError):
        request.settimeout(1)
        request.sendall(f"{head}Connection: close\r\n\r\n".encode() + BUSY)


class TimedReader(io.RawIOBase):
    """What a client sends, until a moment in time."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self.connection = connection
        self.until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self.connection.settimeout(min(left, IDLE_SECONDS))
        return self.connection.recv_into(buffer)


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer, in JSON."""

    protocol_version = "HTTP/1.1"
    server_version = "mlectl"
    sys_version = ""

    def setup(self) -> None:
        super().setup()
        self.reader = TimedReader(self.connection, time.monotonic() + HEADER_SECONDS)
        self.rfile = io.BufferedReader(self.reader, 1 << 16)

    def do_GET(self) -> None:
        self._respond("GET")

    def do_POST(self) -> None:
        self._respond("POST")

    def _respond(self, method: str) -> None:
        self.close_connection = True
        try:
            body = self.reply(method, self.path.partition("?")[0])
        except Refusal as refusal:
            self.answer(refusal.status, refusal.body, refusal.headers)
        except OSError:
            raise
        except Exception:
            log.exception("%s %s failed", method, self.path)
            self.answer(500, {"error": "The request failed on our side.", "details": "Try again; the log has more."})
        else:
            self.answer(200, body)

    def reply(self, method: str, path: str) -> Mapping[str, object]:
        """The answer to a request, or a Refusal."""
        raise Refusal(404, f"There is nothing at {path}.", f"{method} was asked for.")

    def accept_body(self, most_bytes: int, seconds: float) -> int:
        """Let the client send its body; how long that is."""
        if self.headers.get("Transfer-Encoding"):
            raise Refusal(411, "The length of the upload is not known.", "Send it with a Content-Length.")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refusal(411, "The length of the upload is not known.", "Send it with a Content-Length.")
        if int(length) > most_bytes:
            raise Refusal(413, f"The upload has {int(length):,} bytes.", f"At most {most_bytes:,} are taken.")
        self.reader.until = time.monotonic() + seconds
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        return int(length)

    def handle_expect_100(self) -> bool:
        return True  # said by `accept_body`, once the body is wanted

    def answer(self, status: int, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Connection": "close", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self._let_it_read()

    def _let_it_read(self) -> None:
        """Closing on a client that still sends would tear the answer out of its hands."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.reader.until = time.monotonic() + 2
            for _ in range(64):
                if not self.rfile.read1(1 << 16):
                    return

    def address_string(self) -> str:
        return str(self.client_address)

    def log_message(self, format: str, *args: object) -> None:
        log.debug("%s %s", self.address_string(), format % args)
