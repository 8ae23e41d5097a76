"""What of an instance is still on this machine. After `down` that must be nothing, and `down` looks."""

import subprocess
import time
from pathlib import Path

from tests.cluster.rig import network, node, policy_nft, processes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import BRIDGE, MAIN, METADATA, MOST_INSTANCES, OUR_RANGES, Instance

PATIENCE_SECONDS = 20  # a container's last process may take a moment to go


def expect_none(rig: Instance) -> None:
    """Wait until all is gone; what stays is an error."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while found := find(rig):
        if time.monotonic() > deadline:
            raise RigError("Left over after going down: " + "; ".join(found))
        time.sleep(0.1)


def find(rig: Instance) -> list[str]:
    """In words: processes, mounts, and for the main instance what the node brought."""
    found = [f"running {name}" for name in processes.running(rig)]
    found += [*find_processes(rig.state), *find_mounts(rig.state)]
    if rig == MAIN:
        found += [*find_interfaces(), *find_tables(), *find_cgroups(), *find_logs(rig.state)]
    if not any(processes.running(Instance(number)) for number in range(MOST_INSTANCES)):
        found += find_routes()
    return found


def find_processes(state: Path) -> list[str]:
    return [f"process {pid} ({command[:100]})" for pid, command in processes.naming(state).items()]


def find_mounts(state: Path) -> list[str]:
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [f"mount {mount}" for mount in mounts if mount.startswith(f"{state}/")]


def find_interfaces() -> list[str]:
    places = (Path("/sys/class/net", BRIDGE), Path("/sys/class/net", METADATA), Path("/run/netns", METADATA))
    rules = [line for line in output("ip", "rule").splitlines() if BRIDGE in line]
    return [*(f"network {place}" for place in places if place.exists()), *(f"rule {rule}" for rule in rules)]


def find_tables() -> list[str]:
    ours = {network.TABLE, policy_nft.TABLE, "kube-proxy"}
    tables = [line.split() for line in output("nft", "list", "tables").splitlines()]  # such as: table ip kube-proxy
    return [" ".join(table) for table in tables if table[-1] in ours]


def find_cgroups() -> list[str]:
    return [f"cgroup {path}" for path in node.cgroups()]


def find_logs(state: Path) -> list[str]:
    links = Path("/var/log/containers").glob("*.log")
    return [f"log link {link}" for link in links if state in link.readlink().parents]


def find_routes() -> list[str]:
    routes = output("ip", "route", "show", "type", "unreachable").splitlines()
    return [f"route {route}" for route in routes if any(each in route for each in OUR_RANGES)]


def output(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout
