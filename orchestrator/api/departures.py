"""What sets an experiment apart from the benchmark's published setting. It is printed beside every score."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from ipaddress import ip_network

from orchestrator.api.hardware import Resources
from orchestrator.api.network import AllowedPeer
from orchestrator.api.spec import ExperimentRunSpec
from orchestrator.api.values import format_duration, parse_quantity

WALL_CLOCK = timedelta(hours=24)
CPU = "36"
MEMORY = "440Gi"
SEEDS = 3


def departures(spec: ExperimentRunSpec) -> list[str]:
    """Each difference as found and published; empty in the published setting."""
    found = []
    if spec.benchmark != "v1":
        found.append(f"benchmark {spec.benchmark}, known defects fixed (published: v1)")
    if spec.competitions.exclude:
        found.append(f"{_count(len(spec.competitions.exclude), 'competition')} excluded (published: none)")
    if spec.seeds < SEEDS:
        found.append(f"{_count(spec.seeds, 'seed')} (published: {SEEDS} or more)")
    if spec.budget.wall_clock != WALL_CLOCK:
        found.append(f"{format_duration(spec.budget.wall_clock)} a run (published: {format_duration(WALL_CLOCK)})")
    found += _hardware(spec.resources)
    if spec.network.mode == "none":
        found.append("no network (published: the agent can reach its model)")
    if ranges := [peer for peer in spec.network.allow if ip_network(peer.cidr).num_addresses > 1]:
        found.append(f"network allows {describe_allowed(ranges)} (published: the agent can reach its model)")
    if spec.retries.agent:
        found.append(f"a failed agent is tried again up to {_count(spec.retries.agent, 'time')} (published: never)")
    return found


def describe_allowed(peers: Iterable[AllowedPeer]) -> str:
    """Addresses and ports of an allow list, in words."""
    return " and ".join(f"{peer.cidr} at {_ports(peer)}" for peer in peers)


def _ports(peer: AllowedPeer) -> str:
    if not peer.ports:
        return "all ports"
    return f"port{'s' if len(peer.ports) > 1 else ''} {', '.join(map(str, peer.ports))}"


def _hardware(resources: Resources) -> list[str]:
    found = []
    if parse_quantity(resources.cpu) != parse_quantity(CPU):
        found.append(f"{resources.cpu} CPU (published: {CPU})")
    if parse_quantity(resources.memory) != parse_quantity(MEMORY):
        found.append(f"{resources.memory} memory (published: {MEMORY})")
    if resources.gpu.count == 0:
        found.append("no GPU (published: one A10)")
    elif resources.gpu.count != 1 or resources.gpu.resource != "nvidia.com/gpu":
        found.append(f"{resources.gpu.count} x {resources.gpu.resource} (published: one A10)")
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
