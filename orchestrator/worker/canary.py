"""The canary: answers everybody with one line, over TCP and UDP. An agent that hears it is not held by a policy.

It stands in the cluster where agents must not get to (`probe.py`). It reads nothing of what it is sent over TCP, and
over UDP answers only its own question, with less than it was sent, so it is no tool against others.
"""

from __future__ import annotations

import logging
import signal
import socket
import socketserver
import threading

from orchestrator.core.failures import Reason
from orchestrator.worker.addresses import BadAddress, split_address
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.orders import CanaryOrder

log = logging.getLogger("mlectl.canary")

BANNER = b"mlectl canary: you can reach me\n"
QUESTION = b"mlectl canary, can I reach you over this network?\n"
SEND_SECONDS = 2.0


def main(order: CanaryOrder) -> int:
    try:
        host, port = split_address(order.listen)
    except BadAddress as error:
        raise WorkerFailure(Reason.NETWORK_NOT_ISOLATED, str(error)) from error
    canary = Canary(host, port)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=canary.shutdown).start())
    log.info("answering at %s:%d", *canary.address)
    canary.serve()
    return ExitCode.DONE


class Canary(socketserver.TCPServer):
    """Answers over TCP in one thread: a line fits into any socket's buffer, so nobody can keep it waiting."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, host: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), socketserver.BaseRequestHandler)
        self.datagrams = socket.socket(self.address_family, socket.SOCK_DGRAM)
        self.datagrams.bind(self.server_address)

    @property
    def address(self) -> tuple[str, int]:
        return str(self.server_address[0]), int(self.server_address[1])

    def finish_request(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]
        request.settimeout(SEND_SECONDS)
        request.sendall(BANNER)

    def handle_error(self, request: object, client_address: object) -> None:
        log.info("%s went away", client_address)

    def serve(self) -> None:
        threading.Thread(target=self.answer_datagrams, name="datagrams", daemon=True).start()
        with self:
            self.serve_forever(0.2)
        self.datagrams.close()

    def answer_datagrams(self) -> None:
        while self.datagrams.fileno() >= 0:
            try:
                question, sender = self.datagrams.recvfrom(256)
                if question == QUESTION:
                    self.datagrams.sendto(BANNER, sender)
            except OSError as error:
                log.info("a datagram was not answered: %s", error)
