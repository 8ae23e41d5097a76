"""Sums of CPUs and bytes, as Kubernetes writes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal

from orchestrator.api.types import Resources, parse_quantity
from orchestrator.cluster.kubernetes.settings import Amounts
from orchestrator.worker.limits import COPIES_BYTES

GIB = 1 << 30
COURIER_STORAGE = "256Mi"
"""For its own log: the folders it reads and writes are the pod's, and count against the pod as a whole."""
_UNITS = (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))


@dataclass(frozen=True)
class Share:
    """What one container asks for, which is also all it may use: only then is its pod of the class Guaranteed. That
    does not go by the disk, of which the courier may use more."""

    millicpus: int
    memory: int
    storage: int
    """Bytes of the node's disk."""

    @classmethod
    def of(cls, amounts: Amounts, storage: str) -> Share:
        return cls(_millis(amounts.cpu), _bytes(amounts.memory), _bytes(storage))

    @classmethod
    def of_run(cls, resources: Resources) -> Share:
        return cls(_millis(resources.cpu), _bytes(resources.memory), _bytes(resources.storage))

    def __sub__(self, other: Share) -> Share:
        return Share(self.millicpus - other.millicpus, self.memory - other.memory, self.storage - other.storage)

    def at_most(self, other: Share) -> Share:
        return Share(
            min(self.millicpus, other.millicpus), min(self.memory, other.memory), min(self.storage, other.storage)
        )

    @property
    def half(self) -> Share:
        return Share(self.millicpus // 2, self.memory // 2, self.storage // 2)

    def written(self, devices: dict[str, str] | None = None) -> dict[str, dict[str, str]]:
        """As a container's `resources`."""
        amounts = {
            "cpu": f"{self.millicpus}m" if self.millicpus % 1000 else str(self.millicpus // 1000),
            "memory": _write_bytes(self.memory),
            "ephemeral-storage": _write_bytes(self.storage),
            **(devices or {}),
        }
        return {"requests": amounts, "limits": dict(amounts)}


def courier_share(run: Share, wanted: Amounts) -> Share:
    """What the courier gets of a run's resources: what the operator wants, and never more than half of a small run."""
    return Share.of(wanted, COURIER_STORAGE).at_most(run.half)


def with_room_for_copies(courier: Share, run: Share) -> Share:
    """What the courier may use: on disk also what it copies of the agent's files, which is never more than there are.

    A pod over the sum of its containers' limits is evicted, and that is held against the agent. So none may be over it
    for our copies.
    """
    return replace(courier, storage=courier.storage + min(COPIES_BYTES, run.storage))


def describe_hardware(resources: Resources) -> str:
    """The agent's HARDWARE, in words."""
    cpus = parse_quantity(resources.cpu).normalize()
    gpus = resources.gpu.count
    return ", ".join(
        [
            f"{cpus:f} CPU{'' if cpus == 1 else 's'}",
            f"{_bytes(resources.memory) / GIB:.4g} GiB of memory",
            f"{gpus} GPU{'' if gpus == 1 else 's'}" if gpus else "no GPU",
        ]
    )


def _millis(cpu: str) -> int:
    return _whole(parse_quantity(cpu) * 1000)


def _bytes(text: str) -> int:
    return _whole(parse_quantity(text))


def _whole(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))


def _write_bytes(count: int) -> str:
    return next((f"{count // size}{unit}" for unit, size in _UNITS if count % size == 0), str(count))
