"""The way to an API server, which a test can cut or block without touching the API server itself."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import yaml


class Road:
    """A TCP proxy on loopback. Cut: connections break and new ones are refused. Blocked: they stay, nothing passes."""

    def __init__(self, kubeconfig: Path, folder: Path, name: str = "road") -> None:
        content = yaml.safe_load(kubeconfig.read_text())
        server = urlsplit(content["clusters"][0]["cluster"]["server"])
        assert server.hostname is not None
        assert server.port is not None
        self._target = (server.hostname, server.port)
        self._passes = threading.Event()
        self._passes.set()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.connections = 0
        self._port = 0
        self._listen()
        content["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{self._port}"
        self.kubeconfig = folder / f"{name}.yaml"
        self.kubeconfig.write_text(yaml.safe_dump(content))

    def cut(self) -> None:
        self._end(self._listener)
        with self._lock:
            for end in self._open:
                self._end(end)
            self._open.clear()

    def mend(self) -> None:
        self._listen()

    def block(self) -> None:
        self._passes.clear()

    def unblock(self) -> None:
        self._passes.set()

    def close(self) -> None:
        self.cut()
        self._passes.set()

    def _listen(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            try:
                server = socket.create_connection(self._target, 5)
            except OSError:
                self._end(client)  # the next one may get through
                continue
            server.settimeout(None)
            with self._lock:
                self._open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                self._passes.wait()
                sink.sendall(data)
        self._end(source)
        self._end(sink)

    @staticmethod
    def _end(end: socket.socket) -> None:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
