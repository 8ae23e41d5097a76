"""Several test sessions, one rig: each has up what it needs, and the last to leave takes down what tests brought up.

A session holds a shared lock on the instance for as long as it uses it. What a session had to bring up is marked; what
a person brought up (make cluster-up) is not, and stays. Who comes first clears what a killed session could not.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.cluster.rig import control_plane, fake_nodes, life, node, processes, services
from tests.cluster.rig.layout import MAIN, MOST_INSTANCES, STATES, Instance

CONTROL_PLANE, FAKE_NODES, NODE = "control-plane", "fake-nodes", "node"


@dataclass(frozen=True)
class Share:
    """A session's part in an instance."""

    rig: Instance
    lock: IO[bytes]

    def have_control_plane(self) -> None:
        with self.having(CONTROL_PLANE, lambda: control_plane.is_up(self.rig)):
            control_plane.up(self.rig)

    def have_fake_nodes(self, count: int) -> None:
        with self.having(FAKE_NODES, lambda: processes.is_running(self.rig, "kwok")):
            fake_nodes.up(self.rig, count)

    def have_node(self, gpus: int) -> None:
        with self.having(NODE, node.is_up):
            life.up(self.rig, node_wanted=True, gpus=gpus)

    @contextmanager
    def having(self, part: str, is_up: Callable[[], bool]) -> Iterator[None]:
        """Bring a part up inside: if it was not there, it is marked first, so that even half of it goes again."""
        with changing(self.rig):
            if not is_up():
                mark(self.rig, part).parent.mkdir(parents=True, exist_ok=True)
                mark(self.rig, part).touch()
            yield

    def leave(self) -> None:
        with changing(self.rig):
            if try_lock(self.lock):
                take_down(self.rig)
            self.lock.close()


@contextmanager
def share(rig: Instance) -> Iterator[Share]:
    """Use an instance beside others."""
    with changing(rig):
        lock = open_lock(rig, "use")
        if try_lock(lock):
            clear(rig)
        fcntl.flock(lock, fcntl.LOCK_SH)
    session = Share(rig, lock)
    try:
        yield session
    finally:
        session.leave()


@contextmanager
def spare() -> Iterator[Instance]:
    """An instance that nobody else uses, and that is gone afterwards."""
    for number in range(1, MOST_INSTANCES):
        rig = Instance(number)
        lock = open_lock(rig, "spare")
        if not try_lock(lock):
            lock.close()
            continue
        try:
            life.down(rig, purge=True)  # whatever a killed session left
            yield rig
        finally:
            life.down(rig, purge=True)
            lock.close()
        return
    raise RuntimeError(f"All {MOST_INSTANCES - 1} spare instances are in use.")


@contextmanager
def changing(rig: Instance) -> Iterator[None]:
    """One at a time brings parts up or down."""
    with open_lock(rig, "change") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def take_down(rig: Instance) -> None:
    if mark(rig, CONTROL_PLANE).exists():
        life.down(rig, purge=True)
        return
    if mark(rig, FAKE_NODES).exists():
        fake_nodes.down(rig)
    if rig == MAIN and mark(rig, NODE).exists():
        services.down()
        node.down()
    keep(rig)


def clear(rig: Instance) -> None:
    """Remove what killed sessions left: what they had marked, or all of it where nothing runs any more."""
    if processes.running(rig):
        take_down(rig)
    elif rig.state.exists():
        life.down(rig, purge=True)


def keep(rig: Instance) -> None:
    """From now on nothing is marked: all of it is a person's."""
    for each in mark(rig, "").glob("*"):
        each.unlink()


def mark(rig: Instance, part: str) -> Path:
    return rig.state / "by-tests" / part


def open_lock(rig: Instance, purpose: str) -> IO[bytes]:
    STATES.mkdir(parents=True, exist_ok=True)
    return (STATES / f"{rig.number}.{purpose}.lock").open("ab")


def try_lock(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
