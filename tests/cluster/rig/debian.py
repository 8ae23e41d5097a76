"""What the true node and the images need from the Debian this runs on."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.cluster.rig.errors import RigError

# package: a file or command that it brings
PACKAGES = {
    "containerd": "containerd",
    "runc": "runc",
    "containernetworking-plugins": "/usr/lib/cni/bridge",
    "nftables": "nft",
    "iproute2": "ip",
    "conntrack": "conntrack",
    "procps": "sysctl",
    "busybox-static": "/bin/busybox",
    "openssl": "openssl",
    "debootstrap": "debootstrap",
    "buildah": "buildah",
    "prometheus": "promtool",
}
FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # a user's PATH often lacks sbin


def missing() -> list[str]:
    """The packages whose commands are not here."""
    return [package for package, brings in PACKAGES.items() if not is_here(brings)]


def install() -> None:
    """Have them all; apt-get where one is missing."""
    packages = missing()
    if not packages:
        return
    if not shutil.which("apt-get"):
        raise RigError(f"This machine has no apt-get; install what Debian calls {', '.join(packages)}.")
    if os.geteuid():
        raise RigError(f"Packages are missing and only root may install them: apt-get install {' '.join(packages)}")
    print(f"installing {', '.join(packages)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(["apt-get", "-qq", *command], env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RigError(f"apt-get {command[0]} failed: {done.stderr.strip()[-1000:]}")


def is_here(brings: str) -> bool:
    return Path(brings).exists() if brings.startswith("/") else shutil.which(brings, path=FOLDERS) is not None
