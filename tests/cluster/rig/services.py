"""What a cluster offers its pods: services (kube-proxy), names (CoreDNS), network policies, a metadata address."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.cluster.rig import builtin, containers, metadata, policies, processes, programs
from tests.cluster.rig.kubectl import Object, kubectl
from tests.cluster.rig.layout import BRIDGE, MAIN, NODE, NODE_ADDRESS, POD_CIDR, SERVICE_CIDR
from tests.cluster.rig.processes import Program

MANIFEST = Path(__file__).parent / "manifests" / "coredns.yaml"
DNS_IMAGE = "docker.io/rig/coredns:1"
HEALTH = "127.0.0.1:10256"


def up() -> None:
    route = ["ip", "route", "replace", SERVICE_CIDR, "dev", BRIDGE]  # lets this machine, too, use services
    subprocess.run(route, check=True)
    start_proxy()
    start_policies()
    start_names()
    metadata.up()


def down() -> None:
    metadata.down()
    processes.stop(MAIN, "network-policies")  # its rules stay until the node is down: see network.py
    processes.stop(MAIN, "kube-proxy")
    for family in ("ip", "ip6"):
        subprocess.run(["nft", "delete", "table", family, "kube-proxy"], capture_output=True, check=False)


def is_up() -> bool:
    return all(processes.is_running(MAIN, name) for name in ("kube-proxy", "network-policies"))


def start_proxy() -> None:
    config = processes.write_if_changed(MAIN.state / "proxy.json", json.dumps(proxy_config(), indent=2))
    processes.start(MAIN, Program("kube-proxy", [programs.find("kube-proxy"), f"--config={config}"], proxy_is_well))


def start_policies() -> None:
    argv = [sys.executable, "-m", "tests.cluster.rig.policy_enforcer"]
    processes.start(MAIN, Program("network-policies", argv, policies.is_enforcing))


def start_names() -> None:
    containers.load([builtin.program(DNS_IMAGE, Path(programs.find("coredns")))])
    kubectl(MAIN, "apply", "-f", str(MANIFEST))
    kubectl(MAIN, "rollout", "status", "--namespace=kube-system", "deployment/coredns", "--timeout=300s")


def proxy_config() -> Object:
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "clientConnection": {"kubeconfig": str(MAIN.kubeconfig_of("proxy"))},
        "clusterCIDR": POD_CIDR,
        "hostnameOverride": NODE,
        "healthzBindAddress": HEALTH,
        "metricsBindAddress": "127.0.0.1:10249",
        "nodePortAddresses": [f"{NODE_ADDRESS}/32"],
        "conntrack": {"maxPerCore": 0},
    }


def proxy_is_well() -> bool:
    try:
        with urllib.request.urlopen(f"http://{HEALTH}/healthz", timeout=3) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
