"""Trying whether an address can be reached, and what came back: a question of network policies, not of protocols.

Whether a packet got through is easy to tell when there is an answer. A refused connection is not so clear: the host
itself refuses where nobody listens, and some network plug-ins refuse in its name what they do not let pass. Only the
canary's banner (`canary.py`) can come from nobody else.
"""

from __future__ import annotations

import socket
import struct
from enum import StrEnum
from typing import Literal

from orchestrator.worker.canary import BANNER, QUESTION

Protocol = Literal["tcp", "udp"]
PROTOCOLS: tuple[Protocol, ...] = ("tcp", "udp")
Address = tuple[str, int]
"""IP address and port."""

DNS_PORT = 53
DNS_QUESTION = struct.pack(">HHHHHH", 0x6D6C, 0x0100, 1, 0, 0, 0) + b"\0" + struct.pack(">HH", 2, 1)
"""Who serves the root of all names: every DNS server has something to say to that."""


class Heard(StrEnum):
    """What came back."""

    ANSWER = "answered"
    """The canary's banner; of others, any bytes."""
    CONNECTION = "connected"
    """And then nothing was said."""
    HANG_UP = "connected and closed"
    """As a proxy does that takes every connection and then decides."""
    REFUSAL = "refused"
    UNREACHABLE = "unreachable"
    """A router or the kernel says that there is no way."""
    SILENCE = "no answer"


def dial_canary(address: Address, protocol: Protocol, seconds: float) -> Heard:
    """Ask the canary for its banner."""
    return _listen(address, protocol, seconds, QUESTION if protocol == "udp" else b"", BANNER)


def dial(address: Address, protocol: Protocol, seconds: float) -> Heard:
    """Try any other address: over TCP whether it takes a connection, over UDP whether it answers a DNS question."""
    if protocol == "udp":
        return _listen(address, protocol, seconds, DNS_QUESTION, b"")
    try:
        with _connected(address, protocol, seconds):
            return Heard.CONNECTION
    except OSError as error:
        return _meaning(error)


def _listen(address: Address, protocol: Protocol, seconds: float, question: bytes, wanted: bytes) -> Heard:
    try:
        connection = _connected(address, protocol, seconds)
    except OSError as error:
        return _meaning(error)
    with connection:
        try:
            connection.sendall(question)
            said = connection.recv(512)
        except TimeoutError:
            return Heard.SILENCE if protocol == "udp" else Heard.CONNECTION
        except OSError as error:
            return _meaning(error) if protocol == "udp" else Heard.HANG_UP
    if said.startswith(wanted) and said:
        return Heard.ANSWER
    return Heard.CONNECTION if said else Heard.HANG_UP


def _connected(address: Address, protocol: Protocol, seconds: float) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(address)
    except BaseException:
        connection.close()
        raise
    return connection


def _meaning(error: OSError) -> Heard:
    if isinstance(error, ConnectionRefusedError):
        return Heard.REFUSAL
    return Heard.SILENCE if isinstance(error, TimeoutError) else Heard.UNREACHABLE


def resolve(host: str, port: int) -> Address | None:
    """The host's first address; None if its name is not known here."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return None
    return str(found[0][4][0]), port
