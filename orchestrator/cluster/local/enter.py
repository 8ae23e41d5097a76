"""The inside of a sandbox: builds the agent's view of the machine, then becomes the launcher.

Started by `sandbox.py` under `unshare` with user, mount, PID, IPC and (mode none) network namespaces of its own, as
process 1 and as root of that user namespace. Uses the standard library only, because it runs by its file name. What is
not mounted below is not there: the stores, the answers, other runs and the user's own files do not exist for the agent.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import platform
import resource
import socket
import struct
import sys
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2
CLONE_NEWUSER = 0x10000000
PR_SET_NO_NEW_PRIVS = 38
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
AGENT_UID = 1000


def main(plan_file: str) -> None:
    plan = json.loads(Path(plan_file).read_text())
    if plan["listen_port"] is not None:
        hand_out_listener(plan["listen_port"], plan["listener_fd"])
    root = Path(plan["root"])
    build_root(root, plan["mounts"])
    move_into(root)
    limit(plan["limits"])
    become_user(AGENT_UID)
    os.chdir(plan["cwd"])
    os.execve(plan["argv"][0], plan["argv"], plan["env"])  # noqa: S606 (the sandbox's whole purpose)


def hand_out_listener(port: int, channel_fd: int) -> None:
    """Listen on this namespace's loopback, and give the socket to the courier, who lives outside."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16xH14x", fcntl.ioctl(probe, 0x8913, request))[0]  # SIOCGIFFLAGS
        fcntl.ioctl(probe, 0x8914, struct.pack("16sH14x", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP
    listener = socket.create_server(("127.0.0.1", port))
    with socket.socket(fileno=channel_fd) as channel:
        socket.send_fds(channel, [b"listener"], [listener.fileno()])
    listener.close()


def build_root(root: Path, mounts: list[dict[str, Any]]) -> None:
    """Lay out the new root below `root`: a small read-only tree with the given folders mounted into it."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=16m")
    for item in mounts:
        bind(Path(item["source"]), root / item["target"].lstrip("/"), writable=item["writable"])
    (root / "proc").mkdir()
    mount("proc", root / "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    build_dev(root / "dev")
    (root / ".old").mkdir()


def build_dev(dev: Path) -> None:
    dev.mkdir()
    mount("tmpfs", dev, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=1m")
    graphics = sorted(Path("/dev").glob("nvidia*"))
    for device in [*(Path("/dev") / name for name in DEVICES), *graphics]:
        if device.exists() and not device.is_dir():
            bind(device, dev / device.name, writable=True)
    (dev / "shm").mkdir()
    mount("tmpfs", dev / "shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        (dev / name).symlink_to(f"/proc/self/{target}")


def bind(source: Path, target: Path, *, writable: bool) -> None:
    """Show `source` at `target`; a link is copied as a link."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    mount(source, target, None, MS_BIND | MS_REC)
    if not writable:
        held = os.statvfs(target).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)  # a flag the host set can't be taken off
        mount(None, target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | held)


def move_into(root: Path) -> None:
    """Make `root` the file system's root and let go of the old one, which nothing can reach any more."""
    call = PIVOT_ROOT[platform.machine()]
    check(LIBC.syscall(call, os.fsencode(root), os.fsencode(root / ".old")), f"pivot_root to {root}")
    os.chdir("/")
    check(LIBC.umount2(b"/.old", MNT_DETACH), "let go of the old root")
    Path("/.old").rmdir()
    mount(None, "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def limit(limits: dict[str, int]) -> None:
    for name, most in limits.items():
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def become_user(uid: int) -> None:
    """An ordinary user without any right over these namespaces: a user namespace inside, seen from there as `uid`."""
    check(LIBC.unshare(CLONE_NEWUSER), "make the agent's user namespace")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} 0 1")
    Path("/proc/self/gid_map").write_text(f"{uid} 0 1")
    check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "give up new privileges")


def mount(source: str | Path | None, target: str | Path, kind: str | None, flags: int, data: str = "") -> None:
    arguments = [os.fsencode(part) if part is not None else None for part in (source, target, kind)]
    check(LIBC.mount(*arguments, ctypes.c_ulong(flags), data.encode() or None), f"mount {source or kind} on {target}")


def check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"could not {what}: {os.strerror(code)}")


if __name__ == "__main__":
    main(sys.argv[1])
