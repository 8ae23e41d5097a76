"""Where the rig keeps its things, and the addresses it uses.

Several control planes may stand side by side, each an `Instance` with a folder and ports of its own. The true node is
one a machine (the kubelet insists on some paths), so it belongs to instance 0.
"""

import os
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "mlectl" / "rig"
STATES = Path(os.environ.get("MLECTL_RIG_STATE") or "/var/tmp/mlectl-rig")

NODE, BRIDGE = "rig-node", "rig-pods"
NODE_ADDRESS = "10.244.0.1"  # the bridge itself: the pods' gateway
POD_CIDR, FAKE_POD_CIDR = "10.244.0.0/24", "10.245.0.1/16"
SERVICE_CIDR, API_SERVICE, DNS_SERVICE = "10.96.0.0/24", "10.96.0.1", "10.96.0.10"
OUR_RANGES = ("10.244.0.0/15", SERVICE_CIDR)
METADATA, METADATA_ADDRESS = (
    "rig-metadata",
    "169.254.169.254",
)  # where clouds keep it; here a stand-in that only pods reach

MOST_INSTANCES = 10
PORTS = {"kube-apiserver": 6443, "etcd": 2379, "kube-controller-manager": 10257, "kube-scheduler": 10259, "kwok": 10247}


@dataclass(frozen=True)
class Instance:
    """One control plane: a number, from which its folder and its ports follow.

    Clients on this machine use loopback only: with the rig down they get "connection refused", and no packet leaves for
    a private address that may be somebody else's.
    """

    number: int

    def port(self, name: str) -> int:
        return PORTS[name] + 100 * self.number

    @property
    def state(self) -> Path:
        """Certificates, data, logs and pids."""
        return STATES / str(self.number)

    @property
    def pki(self) -> Path:
        return self.state / "pki"

    @property
    def api(self) -> str:
        return f"https://127.0.0.1:{self.port('kube-apiserver')}"

    @property
    def etcd(self) -> str:
        return f"http://127.0.0.1:{self.port('etcd')}"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.kubeconfig_of("admin")

    def kubeconfig_of(self, client: str) -> Path:
        return self.state / f"{client}.kubeconfig"


MAIN = Instance(0)
