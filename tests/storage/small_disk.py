"""Runs a script where the disk is small: a tmpfs of a few megabytes, in a mount namespace of its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ENTER = ["unshare", "--user", "--map-root-user", "--mount"]
MOUNT = 'mount -t tmpfs -o "size=$1m" none "$2" && cd "$2" && shift 2 && exec "$@"'


def can_mount() -> bool:
    """Whether this machine lets us mount in a namespace."""
    if not shutil.which("unshare"):
        return False
    tried = subprocess.run([*ENTER, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
    return tried.returncode == 0


needs_mounts = pytest.mark.skipif(not can_mount(), reason="no mounts in user namespaces on this machine")


def run_on_small_disk(script: str, folder: Path, *arguments: str, megabytes: int) -> str:
    """What a Python script prints that runs in the folder, with a small and empty disk mounted over it."""
    command = [*ENTER, "sh", "-c", MOUNT, "sh", str(megabytes), str(folder), sys.executable, "-c", script, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
