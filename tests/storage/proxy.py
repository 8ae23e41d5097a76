"""A TCP proxy on loopback that counts what passes and breaks connections when told to."""

from __future__ import annotations

import socket
import ssl
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

SERVER_ERROR = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
METHODS = (b"GET ", b"PUT ", b"HEAD ", b"POST ", b"DELETE ")


@dataclass
class Cut:
    """Break a connection once so many bytes have gone up to the server or down to the client."""

    up: float = float("inf")
    down: float = float("inf")
    loses_answer: bool = False


class Proxy:
    """Forwards to a port of this machine. `cuts` and `answers` hold for connections in the order in which they come."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.target = port
        self.tls = tls
        self.cuts: deque[Cut] = deque()
        self.answers: deque[bytes] = deque()
        """Given instead of the server's own answer, one for each connection."""
        self.connections = 0
        self.requests = 0
        self.up = 0
        self.down = 0
        self.dies_after_up: float = float("inf")
        """Once so many bytes have gone up in all, every connection ends and no further one gets through."""
        self.lost_answers_to_put = 0
        """So many PUTs reach the server whole while its answer does not come back."""
        self.unknown_header = b""
        """A header that the server behind us does not know: it arrives under another name."""
        self.lock = threading.Lock()
        self.open: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"{'https' if tls else 'http'}://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        if self.tls:
            try:
                client = self.tls.wrap_socket(client, server_side=True)
            except OSError:
                client.close()
                return
        with self.lock:
            self.connections += 1
            cut = self.cuts.popleft() if self.cuts else Cut()
            answer = self.answers.popleft() if self.answers else None
            self.open.add(client)
        if self.is_dead:
            self.end(client)
        elif answer is not None:
            client.recv(1 << 20)
            client.sendall(answer)
            self.end(client)
        else:
            server = socket.create_connection(("127.0.0.1", self.target))
            with self.lock:
                self.open.add(server)
            threading.Thread(target=self.pump, args=(client, server, "up", cut), daemon=True).start()
            self.pump(server, client, "down", cut)

    def pump(self, source: socket.socket, sink: socket.socket, direction: str, cut: Cut) -> None:
        passed = 0
        limit = getattr(cut, direction)
        with suppress(OSError):
            while passed < limit and not (direction == "up" and self.is_dead):
                data = source.recv(int(min(1 << 16, limit - passed)))
                if not data or (direction == "down" and cut.loses_answer):
                    break
                self.requests += direction == "up" and data.startswith(METHODS)
                if self.lost_answers_to_put and data.startswith(b"PUT "):
                    self.lost_answers_to_put -= 1
                    cut.loses_answer = True
                if self.unknown_header:
                    data = data.replace(self.unknown_header, b"X" * len(self.unknown_header))
                sink.sendall(data)
                passed += len(data)
                with self.lock:
                    setattr(self, direction, getattr(self, direction) + len(data))
        self.end(source)
        self.end(sink)

    @property
    def is_dead(self) -> bool:
        return self.up >= self.dies_after_up

    def end(self, connection: socket.socket) -> None:
        with self.lock:
            self.open.discard(connection)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.open):
            self.end(connection)
