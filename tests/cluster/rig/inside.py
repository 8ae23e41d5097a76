"""Sockets inside a network namespace: a test speaks as if it were a process of the pod, without starting one."""

import ctypes
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
NETWORK = 0x40000000  # CLONE_NEWNET of <sched.h>


def inside(namespace: Path | str, act: Callable[[], T]) -> T:
    """What `act` returns in a thread that is in the namespace. A socket keeps the namespace that it was made in."""
    results: list[T] = []
    failures: list[BaseException] = []

    def enter() -> None:
        try:
            with Path(namespace).open() as handle:
                if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), NETWORK):
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(namespace))
            results.append(act())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it was asked for
            failures.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return results[0]


def socket_in(namespace: Path | str, family: int, kind: int, protocol: int = 0) -> socket.socket:
    return inside(namespace, lambda: socket.socket(family, kind, protocol))
