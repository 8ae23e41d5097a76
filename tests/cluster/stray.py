"""A guest on the pods' bridge that the API never heard of: a network namespace with a cable of its own."""

import contextlib
import itertools
import json
import subprocess
import uuid
from collections.abc import Iterator
from ipaddress import IPv4Address

from tests.cluster.rig.layout import BRIDGE, NODE_ADDRESS
from tests.cluster.rig.network import ADDRESSES
from tests.cluster.rig.policy_nft import TABLE
from tests.cluster.town import Resident


@contextlib.contextmanager
def stray(address: str | None = None) -> Iterator[Resident]:
    """With an address that no pod has, or with the one that is named."""
    name = f"stray-{uuid.uuid4().hex[:8]}"
    cable = f"veth{name[-8:]}"
    with contextlib.ExitStack() as stack:
        address = address or stack.enter_context(reserved_address())
        ip("netns", "add", name)
        stack.callback(ip, "netns", "delete", name)
        ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
        stack.callback(ip, "link", "delete", cable)  # at once, where the namespace's end may take a while
        ip("link", "set", cable, "master", BRIDGE, "up")
        ip("-netns", name, "link", "set", "eth0", "up")
        ip("-netns", name, "address", "add", f"{address}/24", "dev", "eth0")
        ip("-netns", name, "route", "add", "default", "via", NODE_ADDRESS)
        yield Resident(name, "", address, cable, f"/run/netns/{name}")


@contextlib.contextmanager
def reserved_address() -> Iterator[str]:
    """Taken from the pods' addresses in the way in which the network plug-in itself takes them."""
    for last in itertools.count(253, -1):
        note = ADDRESSES / "rig" / f"10.244.0.{last}"
        with contextlib.suppress(FileExistsError):
            note.touch(exist_ok=False)
            break
    try:
        yield note.name
    finally:
        note.unlink()


def is_free(address: str) -> bool:
    return not (ADDRESSES / "rig" / address).exists()


def lend_next(address: str) -> None:
    """The next pod gets this address if it is free: the network plug-in goes on after the one it lent last."""
    (ADDRESSES / "rig" / "last_reserved_ip.0").write_text(str(IPv4Address(address) - 1))


@contextlib.contextmanager
def mistaken(who: Resident, guest: Resident) -> Iterator[None]:
    """One pod takes the guest for the owner of the guest's address, as after a false answer to ARP."""
    shown = subprocess.run(
        ["ip", "-netns", guest.name, "-json", "link", "show", "eth0"], check=True, capture_output=True
    )
    hardware = json.loads(shown.stdout)[0]["address"]
    neighbours = ["nsenter", f"--net={who.network}", "ip", "neighbour"]
    entry = [guest.address, "dev", "eth0"]
    subprocess.run([*neighbours, "replace", *entry, "lladdr", hardware, "nud", "permanent"], check=True)
    try:
        yield
    finally:
        subprocess.run([*neighbours, "delete", *entry], check=True)


def list_as_open(guest: Resident) -> None:
    """What the enforcer would do for a pod without policies. It lasts until the enforcer writes its rules again."""
    nft("add", "element", "bridge", TABLE, "cables", f'{{ "{guest.interface}" . {guest.address} }}')
    nft("add", "element", "ip", TABLE, "pods", f"{{ {guest.address} }}")


@contextlib.contextmanager
def opened(family: str, chain: str) -> Iterator[None]:
    """The chain accepts everything, at most until the enforcer writes its rules again."""
    mark = uuid.uuid4().hex
    nft("insert", "rule", family, TABLE, chain, "accept", "comment", f'"{mark}"')
    try:
        yield
    finally:
        rules = nft("--handle", "list", "chain", family, TABLE, chain).splitlines()
        for handle in (rule.rpartition("# handle ")[2] for rule in rules if mark in rule):
            nft("delete", "rule", family, TABLE, chain, "handle", handle)


def ip(*argv: str) -> None:
    subprocess.run(["ip", *argv], check=True, capture_output=True)


def nft(*argv: str) -> str:
    return subprocess.run(["nft", *argv], check=True, capture_output=True, text=True).stdout
