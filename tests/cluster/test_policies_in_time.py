"""Network policies as things come and go: from a pod's first packet to the reuse of its address."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.cluster import stray as strays
from tests.cluster.rig import policies
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.inside import inside, socket_in
from tests.cluster.town import PATIENCE_SECONDS, Resident, Target, Town, build, listen, moved_in, pod, policy, serving

Object = dict[str, Any]
DENY = {"podSelector": {"matchLabels": {"app": "eager"}}, "policyTypes": ["Egress"]}
SINK_PORT = 6000
EVERYTHING = ["web:8080", "web-service", "web:udp", "web:ping", "node", "api", "api-endpoint", "dns", "metadata"]


@pytest.fixture(scope="module")
def town(control_plane: ControlPlane, node: str) -> Iterator[Town]:
    with build(control_plane) as town:
        yield town


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline


def test_a_pod_is_closed_from_its_first_packet(town: Town) -> None:
    """Pods that send from their very first instant, many times; the policy is created just before them."""
    address = town.pods["web"].address
    attempt = f"timeout 2 nslookup first {address} >/dev/null 2>&1 & timeout 2 nc {address} 7000 </dev/null &"
    script = f"{attempt} for i in $(seq 30); do {attempt} sleep 0.05; done; wait"
    names = {place: [f"eager-{number}" for number in range(6)] for place in (town.home, town.free)}
    pods = [pod(name, place, {"app": "eager"}, ["sh", "-c", script]) for place in names for name in names[place]]
    with heard(town.pods["web"], "udp", 53) as datagrams, heard(town.pods["web"], "tcp", 7000) as streams:
        town.control_plane.apply(policy("deny", town.home, DENY), policy("deny", town.free, DENY), *pods)
        addresses = {place: {ended(town, place, name) for name in names[place]} for place in names}
        for senders in (datagrams, streams):
            assert not senders & addresses[town.home], "a pod under a policy that denies everything was heard"
            assert senders >= addresses[town.free], "without enforcement all of them are heard"
    for place in names:
        town.control_plane.kubectl("delete", "networkpolicy", "deny", "--namespace", place)


def ended(town: Town, namespace: str, name: str) -> str:
    """The address that the pod had, once it has ended well."""
    condition = "--for=jsonpath={.status.phase}=Succeeded"
    town.control_plane.kubectl("wait", condition, f"--namespace={namespace}", f"pod/{name}", "--timeout=90s")
    address: str = town.control_plane.get("pod", name, "--namespace", namespace)["status"]["podIP"]
    return address


@contextlib.contextmanager
def heard(resident: Resident, protocol: str, port: int) -> Iterator[set[str]]:
    """Everybody of whom a packet (UDP) or a connection (TCP) arrives there."""
    senders: set[str] = set()

    def hear(line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                if protocol == "tcp":
                    guest, sender = line.accept()
                    guest.close()
                else:
                    _, sender = line.recvfrom(1500)
                if sender is None:
                    return  # it was shut down
                senders.add(sender[0])

    with serving(listen(resident, protocol, port), hear):
        yield senders


def test_a_cable_that_the_api_never_told_of_is_closed_both_ways(town: Town) -> None:
    with strays.stray() as guest, listen(guest, "tcp", 8080):
        town.pods["stray"] = guest
        town.targets["stray:8080"] = Target("tcp", guest.address, 8080)
        town.expect("stray", blocked=EVERYTHING)
        town.expect("client", blocked=["stray:8080"])
        town.expect_from_node("stray:8080")

        def everything_is_open() -> bool:
            strays.list_as_open(guest)
            return town.reached("stray", EVERYTHING) == set(EVERYTHING) and bool(town.reached("client", ["stray:8080"]))

        eventually(everything_is_open)


@pytest.fixture
def victim(town: Town) -> Iterator[Resident]:
    """An open pod, whose address a stray will take."""
    town.control_plane.apply(pod("victim", town.home, {}))
    yield moved_in(town.control_plane, town.home, "victim")
    town.control_plane.kubectl("delete", "pod", "victim", "--namespace", town.home)


def test_nobody_speaks_with_another_pods_address(town: Town, victim: Resident) -> None:
    """The rules of an address are for the cable that had it when they were made."""
    with listen(town.pods["web"], "udp", SINK_PORT) as sink:
        eventually(lambda: hears(sink, victim, town.pods["web"], b"victim"))
        with strays.stray(victim.address) as guest:
            assert not hears(sink, guest, town.pods["web"], b"guest")

            def is_heard_when_listed() -> bool:
                strays.list_as_open(guest)
                return hears(sink, guest, town.pods["web"], b"guest")

            eventually(is_heard_when_listed)


def test_nobody_hears_what_is_meant_for_another_pods_address(town: Town, victim: Resident) -> None:
    web = town.pods["web"]
    with listen(victim, "udp", SINK_PORT) as sink:
        eventually(lambda: hears(sink, web, victim, b"for the victim"))
    with (
        strays.stray(victim.address) as guest,
        strays.mistaken(web, guest),
        listen(guest, "udp", SINK_PORT) as sink,
    ):
        assert not hears(sink, web, guest, b"for the victim")

        def is_heard_when_unguarded() -> bool:
            with strays.opened("bridge", "leaving"):
                return hears(sink, web, guest, b"for the victim")

        eventually(is_heard_when_unguarded)


def hears(sink: socket.socket, sender: Resident, receiver: Resident, words: bytes) -> bool:
    """Does one of some datagrams arrive within a second?"""
    sink.settimeout(0.2)
    with socket_in(sender.network, socket.AF_INET, socket.SOCK_DGRAM) as line:
        for _ in range(5):
            line.sendto(words, (receiver.address, SINK_PORT))
            with contextlib.suppress(TimeoutError):
                if sink.recv(1500) == words:
                    return True
    return False


def test_an_address_that_is_used_again_does_not_bring_its_old_rules(town: Town) -> None:
    """An open pod ends, and the next one with its address is under a policy."""
    address = town.pods["web"].address
    script = f"for i in $(seq 20); do timeout 2 nc {address} 7000 </dev/null & sleep 0.05; done; wait"
    with town.policy(DENY):
        for number in range(5):  # other tests' pods may be quicker to take the address
            with heard(town.pods["web"], "tcp", 7000) as guests:
                town.control_plane.apply(pod(f"old-{number}", town.home, {}, ["sh", "-c", script]))
                old = ended(town, town.home, f"old-{number}")
                assert guests == {old}
            town.control_plane.kubectl("delete", "pod", f"old-{number}", "--namespace", town.home)
            eventually(partial(strays.is_free, old))
            strays.lend_next(old)
            with heard(town.pods["web"], "tcp", 7000) as guests:
                town.control_plane.apply(pod(f"new-{number}", town.home, {"app": "eager"}, ["sh", "-c", script]))
                new = ended(town, town.home, f"new-{number}")
                assert guests == set()
            if new == old:
                return
    pytest.fail("no pod got the address of the one before it")


def test_an_open_connection_stops_both_ways_when_a_policy_forbids_it_and_goes_on_after_it(town: Town) -> None:
    with contextlib.ExitStack() as stack:
        door = stack.enter_context(listen(town.pods["web"], "tcp", 7000))
        lines = {name: stack.enter_context(dial(town.pods[name], town.pods["web"])) for name in ("client", "free")}
        guests = {}
        for name in lines:
            guest, _ = door.accept()
            guests[name] = stack.enter_context(guest)
        ends = {name: (lines[name], guests[name]) for name in lines}
        assert all(carries(*ends[name]) and carries(*reversed(ends[name])) for name in ends)

        with town.policy({"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"]}):
            assert not carries(lines["client"], guests["client"], seconds=1)
            assert not carries(guests["client"], lines["client"], seconds=1)
            assert carries(lines["free"], guests["free"])
            assert carries(guests["free"], lines["free"])
        assert received(guests["client"], PATIENCE_SECONDS)
        assert received(lines["client"], PATIENCE_SECONDS)


def dial(who: Resident, whom: Resident) -> socket.socket:
    line = socket_in(who.network, socket.AF_INET, socket.SOCK_STREAM)
    line.settimeout(PATIENCE_SECONDS)
    line.connect((whom.address, 7000))
    return line


def carries(sender: socket.socket, receiver: socket.socket, seconds: float = PATIENCE_SECONDS) -> bool:
    sender.sendall(b"word")
    return bool(received(receiver, seconds))


def received(line: socket.socket, seconds: float) -> bytes:
    line.settimeout(seconds)
    try:
        return line.recv(1500)
    except TimeoutError:
        return b""


def test_labels_that_change_are_followed(town: Town) -> None:
    def label(*argv: str) -> None:
        town.control_plane.kubectl("label", *argv)

    peer = {"namespaceSelector": {"matchLabels": {"zone": "x"}}, "podSelector": {"matchLabels": {"role": "x"}}}
    spec = {"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"], "egress": [{"to": [peer]}]}
    ways = ["neighbour:8080", "neighbour-service"]
    with town.policy(spec):
        town.expect("client", blocked=ways)
        label("pod", "neighbour", "role=x", "--namespace", town.away)
        town.expect("client", blocked=ways)
        label("namespace", town.away, "zone=x")
        town.expect("client", reaches=ways)
        label("pod", "neighbour", "role-", "--namespace", town.away)
        eventually(lambda: not town.reached("client", ways))
        label("namespace", town.away, "zone-")


def test_names_resolve_only_where_dns_is_allowed(town: Town) -> None:
    select = {"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"]}
    dns = {
        "to": [
            {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
                "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
            }
        ],
        "ports": [{"port": 53, "protocol": "UDP"}],
    }
    eventually(lambda: resolves(town, town.home))
    with town.policy({**select, "egress": []}):
        assert not resolves(town, town.home)
        eventually(lambda: resolves(town, town.free))
    with town.policy({**select, "egress": [dns]}):
        eventually(lambda: resolves(town, town.home))
        town.expect("client", blocked=["dns", "web:8080"])  # dns: over TCP
        town.expect("free", reaches=["dns", "web:8080"])


def resolves(town: Town, namespace: str) -> bool:
    """With the pod's own tools and settings."""
    name = f"web.{town.home}.svc.cluster.local"
    address = town.targets["web-service"].address
    with contextlib.suppress(RigError):
        said = town.control_plane.kubectl(
            "exec", f"--namespace={namespace}", "client", "--", "timeout", "5", "nslookup", name
        )
        return address in said
    return False


def test_the_switch_opens_a_namespace_and_closes_it_again(town: Town) -> None:
    with town.policy({"podSelector": {}, "policyTypes": ["Egress"]}, [town.home]):
        town.expect("client", blocked=EVERYTHING)
        policies.off(town.home)
        town.expect("client", reaches=EVERYTHING)
        policies.on(town.home)
        town.expect("client", blocked=EVERYTHING)


def test_the_kubelet_reaches_a_pod_that_nobody_else_may_reach(town: Town) -> None:
    lonely = pod("lonely", town.home, {"app": "lonely"}, ["httpd", "-f", "-p", "8080"])
    lonely["spec"]["containers"][0]["readinessProbe"] = {"tcpSocket": {"port": 8080}, "periodSeconds": 1}
    spec = {"podSelector": {"matchLabels": {"app": "lonely"}}, "policyTypes": ["Ingress", "Egress"]}
    with town.policy(spec, [town.home]):
        town.control_plane.apply(lonely)
        town.pods["lonely"] = moved_in(town.control_plane, town.home, "lonely")
        town.targets["lonely:8080"] = Target("tcp", town.pods["lonely"].address, 8080)
        town.expect("client", blocked=["lonely:8080"])
        town.expect("lonely", blocked=EVERYTHING)
    town.expect("client", reaches=["lonely:8080"])


def test_the_bridge_carries_no_ipv6(town: Town) -> None:
    client, web = town.pods["client"], town.pods["web"]
    with strays.stray() as one, strays.stray() as other:
        assert not speaks_ipv6(client, web)
        assert not speaks_ipv6(one, other)

        def is_carried_when_opened() -> bool:
            with strays.opened("ip6", "forward"), strays.opened("bridge", "arriving"):
                return speaks_ipv6(client, web) and speaks_ipv6(one, other)

        eventually(is_carried_when_opened)


def speaks_ipv6(sender: Resident, receiver: Resident) -> bool:
    address = inside(receiver.network, link_local)
    sink = socket_in(receiver.network, socket.AF_INET6, socket.SOCK_DGRAM)
    line = socket_in(sender.network, socket.AF_INET6, socket.SOCK_DGRAM)
    with sink, line:
        sink.bind(("::", SINK_PORT))
        sink.settimeout(1)
        index = inside(sender.network, lambda: socket.if_nametoindex("eth0"))
        try:
            line.sendto(b"six", (address, SINK_PORT, 0, index))
            return sink.recv(1500) == b"six"
        except OSError:
            return False


def link_local() -> str:
    with open("/proc/thread-self/net/if_inet6") as table:  # noqa: PTH123 - the calling thread's namespace
        (number,) = (line.split()[0] for line in table if line.split()[-1] == "eth0")
    return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(number))
