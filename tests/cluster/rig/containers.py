"""containerd on this machine, and the images it has."""

import subprocess
from pathlib import Path

from tests.cluster.rig import archives, network, processes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import MAIN
from tests.cluster.rig.processes import Program

STATE = MAIN.state
SOCKET = STATE / "containerd.sock"
BASE_IMAGE = "docker.io/rig/base:1"  # pods may call it rig/base:1
CONFIG = f"""\
version = 2
root = "{STATE}/containerd"
state = "{STATE}/containerd-state"
[grpc]
  address = "{SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{BASE_IMAGE}"
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
    if BASE_IMAGE not in image_names():
        archive = STATE / "base.tar"
        archives.write_base(archive, BASE_IMAGE)
        load(archive)


def down() -> None:
    if processes.is_running(MAIN, "containerd"):
        for container in ctr("containers", "list", "--quiet").split():
            ctr("tasks", "delete", "--force", container)
    processes.stop(MAIN, "containerd")


def load(archive: Path) -> None:
    """Give the node an image: a docker archive."""
    done = run_ctr("images", "import", str(archive))
    if done.returncode:
        raise RigError(f"{archive} cannot be loaded: {done.stderr.strip()}")


def image_names() -> list[str]:
    return ctr("images", "list", "--quiet").split()


def is_ready() -> bool:
    return "linux" in ctr("plugins", "list")


def ctr(*argv: str) -> str:
    return run_ctr(*argv).stdout


def run_ctr(*argv: str) -> subprocess.CompletedProcess[str]:
    command = ["ctr", "--address", str(SOCKET), "--namespace", "k8s.io", *argv]
    return subprocess.run(command, capture_output=True, text=True, check=False)
