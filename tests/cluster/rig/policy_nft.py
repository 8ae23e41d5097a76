"""Policies as nftables rules, for the bridge's IPv4 traffic. No I/O.

A connection is judged, not a packet: by who opened it (`ct original ip saddr`), who really serves it (`ct reply ip
saddr`, after any service's address translation) and on which port. So replies of an allowed connection pass, and all
packets of a connection stop, both ways, as soon as a policy no longer allows it.

Closed is the default. A sandbox's cable has a random name of its own, and only cables that the enforcer has listed with
their address may speak or be spoken to: a new pod is shut from its first packet, also when it inherits the address of
an old one. Only the node reaches it in any case, as the kubelet must.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, collapse_addresses

from tests.cluster.rig.layout import BRIDGE, MAIN, METADATA_ADDRESS, NODE_ADDRESS, POD_CIDR
from tests.cluster.rig.policy_rules import Allowed, Direction, Pod, World, allowed

TABLE = "rig_policies"
API_PORT = MAIN.port("kube-apiserver")
FAMILIES = ("ip", "ip6", "bridge")
UNLISTED, FORWARDED = "0x100000", "0x200000"  # marks that a packet carries from the bridge's hooks to IP's, and back
SIDES: tuple[Direction, Direction] = ("egress", "ingress")
PEER = {"egress": "ct reply ip saddr", "ingress": "ct original ip saddr"}


def render(world: World, unenforced: Iterable[str] = ()) -> str:
    """All tables, replaced in one transaction. Pods of the unenforced namespaces are open whatever policies say."""
    closed = [pod for pod in world.pods if pod.namespace not in set(unenforced)]
    rules = [(pod, side, text) for pod in closed for side in SIDES if (text := chain(pod, side, world)) is not None]
    chains = "\n".join(text for _, _, text in rules)
    egress, ingress = (jumps([pod for pod, other, _ in rules if other == side], side) for side in SIDES)
    return f"""\
{replaced(FAMILIES)}
table bridge {TABLE} {{
    set cables {{
        type ifname . ipv4_addr
        {elements(f'"{pod.interface}" . {pod.address}' for pod in world.pods)}
    }}
    set ports {{
        type ifname
        {elements(f'"{pod.interface}"' for pod in world.pods)}
    }}
    chain arriving {{
        type filter hook prerouting priority -300;
        iifname @ports ether type != {{ ip, arp }} drop
        ip saddr {POD_CIDR} iifname . ip saddr != @cables meta mark set {UNLISTED}
    }}
    chain leaving {{
        type filter hook postrouting priority 300;
        ether type ip meta mark and {FORWARDED} != 0 ip daddr {POD_CIDR} oifname . ip daddr != @cables drop
    }}
}}
table ip6 {TABLE} {{
    chain input {{
        type filter hook input priority 0;
        iifname {BRIDGE} drop
    }}
    chain forward {{
        type filter hook forward priority 0;
        iifname {BRIDGE} drop
        oifname {BRIDGE} drop
    }}
    chain output {{
        type filter hook output priority 0;
        oifname {BRIDGE} drop
    }}
}}
table ip {TABLE} {{
    set pods {{
        type ipv4_addr
        {elements(str(pod.address) for pod in world.pods)}
    }}
{chains}
    chain forward {{
        type filter hook forward priority 0;
        iifname != {BRIDGE} oifname != {BRIDGE} accept
        ct state invalid,untracked drop
        meta mark and {UNLISTED} != 0 drop
        meta mark set meta mark or {FORWARDED}
        ct original ip saddr != @pods drop
        {egress}
        ct reply ip saddr {METADATA_ADDRESS} accept
        ct reply ip saddr != @pods drop
        {ingress}
    }}
    chain input {{
        type filter hook input priority 0;
        iifname != {BRIDGE} accept
        ct state invalid,untracked drop
        ct direction reply accept                        # the node asked: probes, hooks, logs
        meta mark and {UNLISTED} != 0 drop
        ct original ip saddr != @pods drop
        ct original ip daddr 127.0.0.0/8 drop            # loopback is for those whom translation sends there
        {egress}
    }}
}}
"""


def removal() -> str:
    return replaced(FAMILIES)


def chain(pod: Pod, side: Direction, world: World) -> str | None:
    """What the pod may do: `return` leaves the last word to the other side's chain. None if no policy has a say."""
    permissions = allowed(pod, side, world)
    if permissions is None:
        return None
    lines = [f"{PEER[side]} {pod.address} return"]  # nothing keeps a pod from itself
    if side == "egress":
        lines.append(f"ct reply ip saddr 127.0.0.1 {'return' if reaches_api(permissions) else 'drop'}")
    lines += [line(each, side) for each in permissions]
    lines.append("drop")
    body = "\n        ".join(lines)
    return f"    chain {chain_name(pod, side)} {{  # {pod.namespace}/{pod.name}\n        {body}\n    }}"


def reaches_api(permissions: Sequence[Allowed]) -> bool:
    """To policies the API server is at the node's address: that it listens on loopback is only the rig's way."""
    return any(each.covers(IPv4Address(NODE_ADDRESS), "tcp", API_PORT) for each in permissions)


def line(permission: Allowed, side: Direction) -> str:
    return " ".join([*conditions(permission, PEER[side]), "return"])


def conditions(permission: Allowed, peer: str) -> Iterator[str]:
    if permission.block.prefixlen:
        yield f"{peer} {permission.block}"
    if permission.without:
        yield f"{peer} != {{ {', '.join(str(part) for part in collapse_addresses(permission.without))} }}"
    ports = permission.ports
    if ports.protocol:
        yield f"ct protocol {ports.protocol}"
        if (ports.first, ports.last) != (0, 65535):
            yield f"ct reply proto-src {ports.first}-{ports.last}"


def jumps(pods: Sequence[Pod], side: Direction) -> str:
    """To each pod's chain, by its address."""
    mine = {"egress": "ct original ip saddr", "ingress": "ct reply ip saddr"}[side]
    targets = ", ".join(f"{pod.address} : jump {chain_name(pod, side)}" for pod in pods)
    return f"{mine} vmap {{ {targets} }}" if targets else ""


def chain_name(pod: Pod, side: Direction) -> str:
    return f"{side}-{pod.address}"


def elements(values: Iterable[str]) -> str:
    listed = ", ".join(values)
    return f"elements = {{ {listed} }}" if listed else ""


def replaced(families: Iterable[str]) -> str:
    """Deletes tables whether they are there or not."""
    return "\n".join(f"table {family} {TABLE}\ndelete table {family} {TABLE}" for family in families)
