"""Pods that speak with each other, for tests of network policies.

    home   client, web, db          away   neighbour (namespace label: team=away)
    free   client, with the labels of home's, in a namespace where enforcement is switched off

Every pod answers on some ports. What a pod reaches is tried for real, from inside its network namespace. `free` gets
the same policies as `home`, so that a test shows beside its result that the same attempt succeeds unenforced.
"""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.cluster.rig import policies, policy_sandboxes
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.inside import socket_in
from tests.cluster.rig.layout import API_SERVICE, DNS_SERVICE, METADATA_ADDRESS, NODE_ADDRESS

Object = dict[str, Any]
TCP_PORTS, UDP_PORT = (8080, 8081, 8085, 9090), 5353
ATTEMPT_SECONDS, PATIENCE_SECONDS = 1.0, 60.0
PING = bytes([8, 0, 0xE5, 0xCA, 0x12, 0x34, 0, 1])  # an echo request with its checksum


@dataclass(frozen=True)
class Resident:
    """A pod, and the namespace through which to speak as it does."""

    name: str
    namespace: str
    address: str
    interface: str
    network: str


@dataclass(frozen=True)
class Target:
    """Something to reach."""

    protocol: str
    address: str
    port: int = 0


@dataclass
class Town:
    """Who lives where, and how to change the rules."""

    control_plane: ControlPlane
    home: str
    away: str
    free: str
    pods: dict[str, Resident] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)

    @contextlib.contextmanager
    def policy(self, spec: Object, namespaces: Iterable[str] | None = None) -> Iterator[None]:
        """The policy in force, in home and in free unless said otherwise; gone again afterwards."""
        name = f"p{time.monotonic_ns()}"
        wanted = [policy(name, place, spec) for place in namespaces or (self.home, self.free)]
        self.control_plane.apply(*wanted)
        found = self.control_plane.get("networkpolicy", "-A", f"--field-selector=metadata.name={name}")["items"]
        for each in found:
            policies.wait_for(each)
        try:
            yield
        finally:
            listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted})
            self.control_plane.kubectl("delete", "-f", "-", input=listed)
            for each in found:
                policies.wait_for_end(each)

    def reached(self, who: str, among: Iterable[str]) -> set[str]:
        """What this pod reaches now, of these targets, each tried once and all at the same time."""
        names = list(among)
        with ThreadPoolExecutor(len(names)) as pool:
            verdicts = pool.map(lambda name: reaches(self.pods[who], self.targets[name]), names)
            return {name for name, verdict in zip(names, verdicts, strict=True) if verdict}

    def expect(self, who: str, *, reaches: Iterable[str] = (), blocked: Iterable[str] = ()) -> None:
        """Blocked ones must fail at once and every time; the others get some tries, for this machine is a busy one."""
        missing, forbidden = set(reaches), set(blocked)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = self.reached(who, missing | forbidden)
            assert not found & forbidden, f"{who} reaches {sorted(found & forbidden)}, which policies forbid"
            missing -= found
            if not missing:
                return
            assert time.monotonic() < deadline, f"{who} does not reach {sorted(missing)}"

    def expect_from_node(self, name: str) -> None:
        """The node reaches its pods whatever policies say."""
        target = self.targets[name]
        with socket.create_connection((target.address, target.port), timeout=PATIENCE_SECONDS):
            pass


def policy(name: str, namespace: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def pod(name: str, namespace: str, labels: dict[str, str], command: list[str] | None = None) -> Object:
    container: Object = {"name": "main", "image": "rig/base:1", "command": command or ["sleep", "infinity"]}
    container["ports"] = [
        {"name": "web", "containerPort": 8080},
        {"name": "admin", "containerPort": 9090},
        {"name": "admin-udp", "containerPort": UDP_PORT, "protocol": "UDP"},
    ]
    spec = {
        "nodeSelector": {"rig/node": "real"},
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "restartPolicy": "Never",
        "containers": [container],
    }
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def service(name: str, namespace: str, app: str) -> Object:
    spec = {"selector": {"app": app}, "ports": [{"port": 80, "targetPort": 8080}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


@contextlib.contextmanager
def build(control_plane: ControlPlane) -> Iterator[Town]:
    with contextlib.ExitStack() as stack:
        home, away, free = (
            stack.enter_context(control_plane.namespace(prefix=f"town-{each}")) for each in ("home", "away", "free")
        )
        town = Town(control_plane, home, away, free)
        settle(town)
        for resident in town.pods.values():
            for listener in listeners(resident):
                stack.enter_context(answering(listener))
        on_node = listen(None, "tcp", 0, NODE_ADDRESS)
        town.targets["node"] = Target("tcp", *on_node.getsockname())
        stack.enter_context(answering(on_node))
        yield town


def settle(town: Town) -> None:
    """Have the pods running and everything that they may try to reach named."""
    control_plane = town.control_plane
    control_plane.kubectl("label", "namespace", town.away, "team=away")
    policies.off(town.free)
    who = {
        "client": pod("client", town.home, {"app": "client", "tier": "front"}),
        "web": pod("web", town.home, {"app": "web", "tier": "back"}),
        "db": pod("db", town.home, {"app": "db"}),
        "neighbour": pod("neighbour", town.away, {"app": "web"}),
        "free": pod("client", town.free, {"app": "client", "tier": "front"}),
    }
    control_plane.apply(*who.values(), service("web", town.home, "web"), service("neighbour", town.away, "web"))
    for name, each in who.items():
        town.pods[name] = moved_in(control_plane, each["metadata"]["namespace"], each["metadata"]["name"])

    for name in ("client", "web", "db", "neighbour"):
        address = town.pods[name].address
        town.targets |= {f"{name}:{port}": Target("tcp", address, port) for port in TCP_PORTS}
        town.targets |= {f"{name}:udp": Target("udp", address, UDP_PORT), f"{name}:ping": Target("icmp", address)}
    for name, place in (("web", town.home), ("neighbour", town.away)):
        address = control_plane.get("service", name, "--namespace", place)["spec"]["clusterIP"]
        town.targets[f"{name}-service"] = Target("tcp", address, 80)
    town.targets |= {
        "api": Target("tcp", API_SERVICE, 443),
        "api-endpoint": Target("tcp", NODE_ADDRESS, 6443),
        "dns": Target("tcp", DNS_SERVICE, 53),
        "metadata": Target("tcp", METADATA_ADDRESS, 80),
    }


def moved_in(control_plane: ControlPlane, namespace: str, name: str) -> Resident:
    """The pod, once it is ready and its rules are in force."""
    uid = settled_pod(control_plane, namespace, name)
    policies.wait_until(lambda now: uid in now["pods"], f"pod {name}")
    return resident_of(uid, namespace, name)


def settled_pod(control_plane: ControlPlane, namespace: str, name: str) -> str:
    """Its uid, once it is ready."""
    control_plane.kubectl("wait", "--for=condition=Ready", f"--namespace={namespace}", f"pod/{name}", "--timeout=90s")
    uid: str = control_plane.get("pod", name, "--namespace", namespace)["metadata"]["uid"]
    return uid


def resident_of(uid: str, namespace: str, name: str) -> Resident:
    (sandbox,) = (each for each in policy_sandboxes.present() if each.pod_uid == uid)
    return Resident(name, namespace, str(sandbox.address), sandbox.interface, sandbox.namespace_path)


def reaches(resident: Resident, target: Target, seconds: float = ATTEMPT_SECONDS) -> bool:
    """One attempt: a connection, or a datagram that is answered."""
    kinds = {
        "tcp": (socket.SOCK_STREAM, 0),
        "udp": (socket.SOCK_DGRAM, 0),
        "icmp": (socket.SOCK_RAW, socket.IPPROTO_ICMP),
    }
    with socket_in(resident.network, socket.AF_INET, *kinds[target.protocol]) as line:
        line.settimeout(seconds)
        try:
            line.connect((target.address, target.port))
            if target.protocol != "tcp":
                line.send(PING)
                line.recv(1500)
            return True
        except OSError:
            return False


def listeners(resident: Resident) -> Iterator[socket.socket]:
    for port in TCP_PORTS:
        yield listen(resident, "tcp", port)
    yield listen(resident, "udp", UDP_PORT)


def listen(resident: Resident | None, protocol: str, port: int, address: str = "") -> socket.socket:
    """On the node if no resident is named; any free port if it is 0."""
    kind = socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM
    line = socket_in(resident.network if resident else "/proc/self/ns/net", socket.AF_INET, kind)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    line.bind((address, port))
    if protocol == "tcp":
        line.listen(64)
    return line


def answering(line: socket.socket) -> contextlib.AbstractContextManager[None]:
    """Says back what it hears, until the end."""
    return serving(line, echo_streams if line.type == socket.SOCK_STREAM else echo_datagrams)


@contextlib.contextmanager
def serving(line: socket.socket, act: Callable[[socket.socket], None]) -> Iterator[None]:
    """A thread deals with the socket; at the end the socket is shut, which ends the thread."""
    thread = threading.Thread(target=act, args=(line,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        thread.join()
        line.close()


def echo_streams(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            guest, _ = line.accept()
            threading.Thread(target=echo_stream, args=(guest,), daemon=True).start()


def echo_stream(guest: socket.socket) -> None:
    with guest, contextlib.suppress(OSError):
        while said := guest.recv(1500):
            guest.sendall(said)


def echo_datagrams(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            said, guest = line.recvfrom(1500)
            if guest is None:
                return  # it was shut down
            line.sendto(said, guest)
