"""Which pods have a sandbox on the bridge, as the network plug-ins wrote it down when they laid the cable.

The plug-ins' notes (libcni's results) appear before a pod's first container starts and go with its cable, so they are
both earlier and surer than the address in a pod's status.
"""

import ctypes
import json
import os
from collections.abc import Generator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

from tests.cluster.rig.layout import BRIDGE
from tests.cluster.rig.policy_rules import Object

NOTES = Path("/var/lib/cni/results")
INTERFACES = Path("/sys/class/net")
WRITTEN, REMOVED = 0x8, 0x200  # IN_CLOSE_WRITE, IN_DELETE of <sys/inotify.h>


@dataclass(frozen=True)
class Sandbox:
    """A pod's end of the network."""

    pod_uid: str
    address: IPv4Address
    interface: str  # the node's end of the cable
    namespace_path: str  # of its network namespace


def present(notes: Path = NOTES, interfaces: Path = INTERFACES) -> list[Sandbox]:
    """All sandboxes whose cable is there, each address once: the latest note about it is the true one."""
    found = {}
    for path in sorted(notes.glob("rig-*-eth0"), key=written_at):
        sandbox = read(path)
        if sandbox and (interfaces / sandbox.interface).exists():
            found[sandbox.address] = sandbox
    return list(found.values())


def read(path: Path) -> Sandbox | None:
    """None for a note that is gone or only half written: the news of its end or completion is on its way."""
    try:
        return parse(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return None


def parse(note: Object) -> Sandbox:
    result = note["result"]
    (cable,) = (each for each in result["interfaces"] if each["name"] != BRIDGE and not each.get("sandbox"))
    (inside,) = (each for each in result["interfaces"] if each.get("sandbox"))
    return Sandbox(
        pod_uid=dict(note["cniArgs"])["K8S_POD_UID"],
        address=IPv4Interface(result["ips"][0]["address"]).ip,
        interface=cable["name"],
        namespace_path=inside["sandbox"],
    )


def written_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def changes(notes: Path = NOTES) -> Generator[None, None, None]:
    """Yields once at the start and after every change of the notes, by inotify."""
    notes.mkdir(parents=True, exist_ok=True)
    libc = ctypes.CDLL(None, use_errno=True)
    watcher = libc.inotify_init1(os.O_CLOEXEC)
    if watcher < 0 or libc.inotify_add_watch(watcher, os.fsencode(notes), WRITTEN | REMOVED) < 0:
        raise OSError(ctypes.get_errno(), f"no news of {notes}")
    try:
        yield
        while os.read(watcher, 65536):
            yield
    finally:
        os.close(watcher)
