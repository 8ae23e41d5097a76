"""containerd on this machine, and the images it has."""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.cluster.rig import builtin, network, oci, processes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import MAIN
from tests.cluster.rig.oci import Image
from tests.cluster.rig.processes import Program

STATE = MAIN.state
SOCKET = STATE / "containerd.sock"
CONFIG = f"""\
version = 2
root = "{STATE}/containerd"
state = "{STATE}/containerd-state"
[grpc]
  address = "{SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{builtin.BASE}"
  disable_apparmor = true
  restrict_oom_score_adj = true  # root without CAP_SYS_RESOURCE could not start a sandbox otherwise
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{network.CNI_PLUGINS}"
    conf_dir = "{network.CNI_CONFIG}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
"""


def up() -> None:
    config = processes.write_if_changed(STATE / "containerd.toml", CONFIG)
    processes.start(MAIN, Program("containerd", ["containerd", f"--config={config}"], is_ready))
    load([builtin.base()])


def down() -> None:
    if processes.is_running(MAIN, "containerd"):
        for container in ctr("containers", "list", "--quiet").split():
            ctr("tasks", "delete", "--force", container)
    processes.stop(MAIN, "containerd")
    end_shims(STATE)


def end_shims(state: Path) -> None:
    """A shim stays for ever where containerd stopped between the end of its container and its own."""
    for pid, command in processes.naming(state).items():
        if Path(command.split()[0]).name.startswith("containerd-shim"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def load(images: Sequence[Image]) -> list[str]:
    """Give the node these images; returns the names of those that it did not have yet, or had otherwise."""
    present = loaded()
    changed = [image for image in images if present.get(image.name) != image.manifest.digest]
    if not changed:
        return []
    with tempfile.TemporaryFile(dir=STATE) as archive:
        oci.write(archive, changed, known=set(ctr("content", "list", "--quiet").split()))
        archive.seek(0)
        done = subprocess.run(ctr_command("images", "import", "-"), stdin=archive, capture_output=True, check=False)
    names = [image.name for image in changed]
    if done.returncode:
        raise RigError(f"{', '.join(names)} cannot be loaded: {done.stderr.decode().strip()}")
    return names


def loaded() -> dict[str, str]:
    """The digest of each image's manifest, by name."""
    rows = [line.split() for line in ctr("images", "list").splitlines()[1:]]
    return {name: digest for name, _, digest, *_ in rows}


def is_ready() -> bool:
    return "linux" in ctr("plugins", "list")


def ctr(*argv: str) -> str:
    return subprocess.run(ctr_command(*argv), capture_output=True, text=True, check=False).stdout


def ctr_command(*argv: str) -> list[str]:
    return ["ctr", "--address", str(SOCKET), "--namespace", "k8s.io", *argv]
