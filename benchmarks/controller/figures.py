"""A figure, what it must be, and how busy the machine was."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.competitions.machine import load


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str = ""
    most: float | None = None
    """The target; None: printed for comparison."""
    note: str = ""
    load: float = field(default_factory=load)
    """Processes that wanted to run while it was measured."""

    @property
    def is_met(self) -> bool:
        return self.most is None or self.value <= self.most

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        target = "" if self.most is None else f"≤ {self.most:g}{self._unit} {'met' if self.is_met else 'missed'}"
        return self.what, f"{self.value:,.4g}{self._unit}", target, f"{self.load:g}", self.note

    @property
    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
