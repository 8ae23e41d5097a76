"""Measurements that were made, kept in a JSON file after each one, so that an interrupted run goes on where it was.

A measurement holds for the code that it was made with: it carries a digest of the competition's own module, of the
toolkit and of the metrics, and one of other code counts as not made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.competitions.growth import Point
from benchmarks.competitions.ramp import Comparison
from benchmarks.competitions.work import module_name

ROOT = Path(__file__).parents[2]
DEFAULT_FILE = ROOT / ".benchmarks" / "competitions.json"


@dataclass(frozen=True)
class Measurement:
    """All about one side of one competition."""

    competition: str
    side: str
    unit: str
    points: tuple[Point, ...]
    comparison: Comparison | None
    load: float
    source: str

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Measurement:
        compared = data["comparison"]
        points = tuple(Point(**point) for point in data["points"])
        return cls(**(data | {"points": points, "comparison": Comparison(**compared) if compared else None}))


class Results:
    """The measurements in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        rows = json.loads(file.read_text()) if file.exists() else []
        self._made = {(row["competition"], row["side"]): Measurement.from_data(row) for row in rows}

    def get(self, competition: str, side: str) -> Measurement | None:
        """What was measured with the code as it is, if anything."""
        found = self._made.get((competition, side))
        return found if found and found.source == source_digest(competition, side) else None

    def put(self, made: Measurement) -> None:
        self._made[made.competition, made.side] = made
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if self._file.parent == DEFAULT_FILE.parent:
            (self._file.parent / ".gitignore").write_text("*\n")
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps([one.as_data() for one in self], indent=1))
        beside.replace(self._file)

    def __iter__(self) -> Iterator[Measurement]:
        """All of them, by competition, of whatever code."""
        return iter(sorted(self._made.values(), key=lambda one: (one.competition.lower(), one.side != "prepare")))


def source_digest(competition: str, side: str) -> str:
    """A digest of the code that the measurement is about."""
    package = ROOT / ("preparers" if side == "prepare" else "graders")
    files = [package / "competitions" / f"{module_name(competition)}.py"]
    files += [path for folder in ("toolkit", "metrics") for path in sorted((package / folder).glob("*.py"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
