"""Where the platform tells the courier that its pod is about to go: the preStop hook of the agent's container.

The kubelet asks for it before it ends the agent on eviction, preemption, suspension and deletion. The path is a secret
of this attempt (`tokens.notice_path`), so the agent, which could call it as well, can't pass its own end off as the
platform's; and all that is in the pod together gets a few of the places here, so it can't keep the platform out.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from orchestrator.worker.serving import Exchange, Refusal, Server, open_listener
from orchestrator.worker.tokens import notice_path

MOST_AT_ONCE, MOST_PER_CLIENT = 16, 4
INSIDE = "inside the pod"


class NoticeBoard(Server):
    """Waits for one request."""

    def __init__(self, listener: socket.socket, token: str, on_notice: Callable[[], None]) -> None:
        super().__init__(listener, NoticeExchange, most_at_once=MOST_AT_ONCE, most_per_client=MOST_PER_CLIENT)
        self.path = notice_path(token)
        self.on_notice = on_notice

    def process_request(self, request: Any, client_address: Any) -> None:
        """However many addresses a client inside the pod has, it is one client."""
        client, port = client_address[:2]
        if is_inside(client, request.getsockname()[0]):
            client = INSIDE
        super().process_request(request, (client, port))


class NoticeExchange(Exchange):
    """One request, by the kubelet if it knows the path."""

    def reply(self, method: str, path: str) -> Mapping[str, object]:
        board = cast(NoticeBoard, self.server)
        if method != "GET" or not hmac.compare_digest(path.encode(errors="replace"), board.path.encode()):
            raise Refusal(404, "There is nothing here.", "This is for the platform.")
        board.on_notice()
        return {"status": "ending"}


def is_inside(client: str, server: str) -> bool:
    """Whether a connection comes from where it goes to."""
    return client == server or ipaddress.ip_address(client).is_loopback


@contextmanager
def heed_notice(address: str | None, token: str, on_notice: Callable[[], None]) -> Iterator[NoticeBoard | None]:
    """Listen for the platform's notice in the background, if there is an address for it."""
    if address is None:
        yield None
        return
    with NoticeBoard(open_listener(address), token, on_notice).in_background("notice") as board:
        yield board
