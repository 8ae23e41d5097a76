"""etcd, the API server, the controller manager and the scheduler: enough for everything but running containers."""

import os
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import partial

from tests.cluster.rig import certificates, processes, programs
from tests.cluster.rig.layout import (
    MOST_INSTANCES,
    NODE_ADDRESS,
    OUR_RANGES,
    POD_CIDR,
    SERVICE_CIDR,
    Instance,
)
from tests.cluster.rig.processes import Program

CLIENT_SPEED = ("--kube-api-qps=200", "--kube-api-burst=400")
HEALTH_SECONDS = 5


def up(rig: Instance) -> None:
    """Have all four running and healthy."""
    for name in COMPONENTS:
        programs.find(name)  # or say what is missing before anything is changed
    certificates.make(rig)
    raise_fence()
    for name in COMPONENTS:
        start(rig, name)


def down(rig: Instance) -> None:
    for name in reversed(COMPONENTS):
        processes.stop(rig, name)
    lower_fence()


def start(rig: Instance, name: str) -> None:
    """Have one component running and healthy, for instance after a test has stopped or killed it."""
    argv, health = COMPONENTS[name](rig)
    program = Program(name, [programs.find(name), *argv], partial(answers, rig, health))
    processes.start(rig, program)


def is_up(rig: Instance) -> bool:
    return all(processes.is_running(rig, name) for name in COMPONENTS)


def etcd(rig: Instance) -> tuple[list[str], str]:
    argv = [
        f"--data-dir={rig.state}/etcd",
        f"--listen-client-urls={rig.etcd}",
        f"--advertise-client-urls={rig.etcd}",
        "--listen-peer-urls=http://127.0.0.1:0",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]
    return argv, f"{rig.etcd}/health"


def kube_apiserver(rig: Instance) -> tuple[list[str], str]:
    pki = rig.pki
    argv = [
        "--bind-address=127.0.0.1",
        f"--advertise-address={NODE_ADDRESS}",
        f"--secure-port={rig.port('kube-apiserver')}",
        f"--etcd-servers={rig.etcd}",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        "--anonymous-auth=false",
        f"--client-ca-file={pki}/ca.crt",
        f"--tls-cert-file={pki}/apiserver.crt",
        f"--tls-private-key-file={pki}/apiserver.key",
        "--kubelet-preferred-address-types=InternalIP",  # or logs would look the node's name up in DNS
        f"--kubelet-certificate-authority={pki}/ca.crt",
        f"--kubelet-client-certificate={pki}/apiserver-to-kubelet.crt",
        f"--kubelet-client-key={pki}/apiserver-to-kubelet.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki}/service-account.pub",
        f"--service-account-signing-key-file={pki}/service-account.key",
        "--default-not-ready-toleration-seconds=10",  # 300 is long for a test
        "--default-unreachable-toleration-seconds=10",
    ]
    return argv, f"{rig.api}/readyz"


def kube_controller_manager(rig: Instance) -> tuple[list[str], str]:
    port = rig.port("kube-controller-manager")
    argv = [
        f"--kubeconfig={rig.kubeconfig_of('controller-manager')}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--leader-elect=false",
        f"--root-ca-file={rig.pki}/ca.crt",
        f"--service-account-private-key-file={rig.pki}/service-account.key",
        "--use-service-account-credentials=true",
        f"--cluster-cidr={POD_CIDR}",
        "--node-monitor-grace-period=20s",
        *CLIENT_SPEED,
    ]
    return argv, f"https://127.0.0.1:{port}/healthz"


def kube_scheduler(rig: Instance) -> tuple[list[str], str]:
    port = rig.port("kube-scheduler")
    argv = [
        f"--kubeconfig={rig.kubeconfig_of('scheduler')}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--leader-elect=false",
        *CLIENT_SPEED,
    ]
    return argv, f"https://127.0.0.1:{port}/healthz"


# In the order in which they start: each gives its arguments and the address that says whether it is well.
COMPONENTS: dict[str, Callable[[Instance], tuple[list[str], str]]] = {
    "etcd": etcd,
    "kube-apiserver": kube_apiserver,
    "kube-controller-manager": kube_controller_manager,
    "kube-scheduler": kube_scheduler,
}


def raise_fence() -> None:
    """Pod and service addresses that are not there fail at once and here, not on the machine's network."""
    if os.geteuid():
        return  # only root may set routes; without a node no such address is used
    for addresses in OUR_RANGES:
        subprocess.run(["ip", "route", "replace", "unreachable", addresses, "metric", "4000000000"], check=True)


def lower_fence() -> None:
    """The last control plane to stop takes the fence along."""
    if any(processes.running(Instance(number)) for number in range(MOST_INSTANCES)):
        return
    for addresses in OUR_RANGES:
        subprocess.run(["ip", "route", "delete", "unreachable", addresses], capture_output=True, check=False)


def answers(rig: Instance, url: str) -> bool:
    context = ssl._create_unverified_context()
    if url.startswith(rig.api):
        context.load_cert_chain(rig.pki / "admin.crt", rig.pki / "admin.key")
    try:
        with urllib.request.urlopen(url, context=context, timeout=HEALTH_SECONDS) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
