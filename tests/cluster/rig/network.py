"""The pods' network: a bridge of our own. Pods reach each other and the API server, nothing outside this machine."""

import json
import shutil
import subprocess
from pathlib import Path

from tests.cluster.rig import policies
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import API_SERVICE, BRIDGE, MAIN, METADATA, NODE_ADDRESS, POD_CIDR

CNI_CONFIG, ADDRESSES = MAIN.state / "cni", MAIN.state / "cni-addresses"
CNI_PLUGINS = "/usr/lib/cni"  # Debian: containernetworking-plugins
API_PORT = MAIN.port("kube-apiserver")
TABLE = "rig"
RULES = f"""
table ip {TABLE}
delete table ip {TABLE}
table ip {TABLE} {{
    chain api {{                                         # the API server listens on loopback alone
        type nat hook prerouting priority -105
        iifname {BRIDGE} ip daddr {API_SERVICE} tcp dport 443 dnat to 127.0.0.1:{API_PORT}
        iifname {BRIDGE} ip daddr {NODE_ADDRESS} tcp dport {API_PORT} dnat to 127.0.0.1:{API_PORT}
    }}
    chain stay_inside {{
        type filter hook forward priority -5
        iifname {BRIDGE} oifname != {{ {BRIDGE}, {METADATA} }} reject
    }}
}}
"""


def up() -> None:
    if subprocess.run(["ip", "link", "show", BRIDGE], capture_output=True, check=False).returncode:
        run("ip", "link", "add", BRIDGE, "type", "bridge")
    run("ip", "address", "replace", f"{NODE_ADDRESS}/24", "dev", BRIDGE)
    run("ip", "link", "set", BRIDGE, "up")
    bridged = ("net.bridge.bridge-nf-call-iptables=1", "net.bridge.bridge-nf-call-ip6tables=1")  # rules hold there too
    run("sysctl", "-qw", *bridged, "net.ipv4.ip_forward=1", f"net.ipv4.conf.{BRIDGE}.route_localnet=1")
    run("nft", "-f", "-", input=RULES)
    policies.close()  # before the first pod
    CNI_CONFIG.mkdir(parents=True, exist_ok=True)
    (CNI_CONFIG / "10-rig.conflist").write_text(json.dumps(cni_config(), indent=2))


def cni_config() -> dict[str, object]:
    addresses = {
        "type": "host-local",
        "ranges": [[{"subnet": POD_CIDR}]],
        "routes": [{"dst": "0.0.0.0/0"}],
        "dataDir": str(ADDRESSES),
    }
    plugins = [
        {"type": "bridge", "bridge": BRIDGE, "isGateway": True, "hairpinMode": True, "ipam": addresses},
        {"type": "portmap", "capabilities": {"portMappings": True}},
    ]
    return {"cniVersion": "1.0.0", "name": "rig", "plugins": plugins}


def down() -> None:
    subprocess.run(["nft", "delete", "table", "ip", TABLE], capture_output=True, check=False)
    subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True, check=False)
    policies.remove()
    shutil.rmtree(ADDRESSES, ignore_errors=True)  # or they would run out: pods that are killed give none back
    for result in Path("/var/lib/cni/results").glob("rig-*-eth0"):
        container = result.name.split("-")[1]
        (result.parent / f"cni-loopback-{container}-lo").unlink(missing_ok=True)
        result.unlink()


def run(*argv: str, input: str | None = None) -> None:
    done = subprocess.run(argv, input=input, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
