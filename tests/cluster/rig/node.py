"""This machine as a true node: containerd and a kubelet, with cgroup v1 or v2 and no service manager."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

from tests.cluster.rig import containers, debian, network, processes, programs
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.kubectl import Object, items, kubectl
from tests.cluster.rig.layout import DNS_SERVICE, MAIN, NODE, NODE_ADDRESS
from tests.cluster.rig.processes import Program

STATE, PKI = MAIN.state, MAIN.pki
LABELS = "rig/node=real"


def up() -> None:
    check()
    network.up()
    containers.up()
    start_kubelet()


def start_kubelet() -> None:
    """Have the kubelet running and the node ready, also after a test has stopped or killed it."""
    config = processes.write_if_changed(STATE / "kubelet.json", json.dumps(kubelet_config(), indent=2))
    argv = [
        programs.find("kubelet"),
        f"--config={config}",
        f"--kubeconfig={MAIN.kubeconfig_of('kubelet')}",
        f"--root-dir={STATE}/kubelet",
        f"--hostname-override={NODE}",
        f"--node-ip={NODE_ADDRESS}",  # the kubelet refuses a loopback address
        f"--node-labels={LABELS}",
    ]
    processes.start(MAIN, Program("kubelet", argv, is_ready))


def claim_gpus(count: int) -> None:
    """Extended resources need no device plugin: the kubelet keeps what the API says, over restarts too."""
    capacity = {"status": {"capacity": {"nvidia.com/gpu": str(count)}}}
    kubectl(MAIN, "patch", "node", NODE, "--subresource=status", "--patch", json.dumps(capacity))


def down() -> None:
    processes.stop(MAIN, "kubelet")
    containers.down()
    unmount_all()
    remove_cgroups()
    remove_log_links()
    network.down()


def check() -> None:
    if os.geteuid():
        raise RigError("A true node needs root: mounts, cgroups and network namespaces. Try again as root.")
    if lacking := debian.missing():
        raise RigError(f"A true node needs more of Debian; run: apt-get install {' '.join(lacking)}")


def is_up() -> bool:
    return all(processes.is_running(MAIN, name) for name in ("containerd", "kubelet"))


def kubelet_config() -> Object:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": NODE_ADDRESS,
        "healthzBindAddress": "127.0.0.1",
        "authentication": {"anonymous": {"enabled": False}, "x509": {"clientCAFile": f"{PKI}/ca.crt"}},
        "tlsCertFile": f"{PKI}/kubelet-server.crt",
        "tlsPrivateKeyFile": f"{PKI}/kubelet-server.key",
        "containerRuntimeEndpoint": f"unix://{containers.SOCKET}",
        "cgroupDriver": "cgroupfs",
        "failCgroupV1": False,
        "failSwapOn": False,
        "localStorageCapacityIsolation": True,
        "clusterDomain": "cluster.local",
        "clusterDNS": [DNS_SERVICE],
        "resolvConf": "",
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100,
        "makeIPTablesUtilChains": False,
        "podLogsDir": f"{STATE}/pod-logs",
        "nodeStatusUpdateFrequency": "4s",
        "nodeLeaseDurationSeconds": 15,
    }


def is_ready() -> bool:
    return any(
        node["metadata"]["name"] == NODE and condition["type"] == "Ready" and condition["status"] == "True"
        for node in items(MAIN, "nodes")
        for condition in node["status"]["conditions"]
    )


def unmount_all() -> None:
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in reversed(mounts):
        if mount.startswith(f"{STATE}/"):
            subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)


def remove_cgroups() -> None:
    for root in cgroups():
        for folder, _, _ in os.walk(root, topdown=False):
            with contextlib.suppress(OSError):  # a process of it has not quite gone: the next `down` takes it
                Path(folder).rmdir()


def cgroups() -> list[Path]:
    """The kubelet's own, in each hierarchy of version 1, or in the one of version 2."""
    root = Path("/sys/fs/cgroup")
    return [*root.glob("*/kubepods"), *root.glob("kubepods")]


def remove_log_links() -> None:
    """The kubelet links each log in a folder that no setting moves."""
    for link in Path("/var/log/containers").glob("*.log"):
        if STATE in link.readlink().parents:
            link.unlink()
