"""A competition: its facts, frozen, and the way to what is read only when somebody asks for it.

Official competitions and those of plug-ins are the same type, made by `facts.py` from the same kind of folder. The
code that prepares and grades is named here and imported by others: the catalog sits below preparers and graders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from catalog.errors import BadFacts

Complexity = Literal["low", "medium", "high", "dev", "demo"]
DefectKind = Literal["leak", "defect", "contaminated", "note"]

SPLITS_BY_COMPLEXITY: Mapping[Complexity, frozenset[str]] = {
    "low": frozenset({"lite", "low", "all"}),
    "medium": frozenset({"medium", "all"}),
    "high": frozenset({"high", "all"}),
    "dev": frozenset({"dev"}),
    "demo": frozenset({"demo"}),
}


@dataclass(frozen=True)
class MedalLines:
    """The scores of a private leaderboard that a submission is held against."""

    gold: float
    silver: float
    bronze: float
    median: float
    teams: int


@dataclass(frozen=True)
class Defect:
    """Something known to be wrong with a competition as v1 has it."""

    what: str
    v2: str
    """What v2 does about it; empty where nothing changes."""
    kind: DefectKind
    comparable: bool
    """Whether an honest submission's scores in v1 and v2 can still be compared."""
    doubtful: bool
    """Whether it makes a v1 score doubtful: answers leak, or the task can't be solved as it is meant."""


@dataclass(frozen=True)
class Checksums:
    """MD5 sums of the real files, as far as they were published."""

    zip: str | None = None
    """The archive that Kaggle delivers."""
    public: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Prepared files by their path below public/, in v1."""
    private: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Prepared files by their path below private/, in v1."""


@dataclass(frozen=True)
class Competition:
    """One competition of the benchmark, of the demo or of a user's own package."""

    id: str
    name: str
    complexity: Complexity
    category: str
    metric: str
    """In one line; the direction is `lower_is_better`."""
    lower_is_better: bool
    answers: str
    """The answers' file, below private/."""
    sample_submission: str
    """The sample submission's file, below public/ unless `sample_is_private`."""
    medals: MedalLines
    preparer: str
    """Import path `module:function` of the code that turns raw files into public/ and private/."""
    grader: str
    """Import path `module:function` of the code that scores a submission."""
    folder: Path
    """Where facts.toml and description.md are."""
    sample_is_private: bool = False
    """True where v1 keeps the plain sample beside the answers: public/ has it packed, or not at all."""
    size_gb: float = 0.0
    """Size of the raw download; 0 where nobody published it."""
    deadline: date | None = None
    percentiles: tuple[float, ...] = ()
    """The private leaderboard's score at 0 %, 1 %, … 100 % of its teams, best first; empty where it is not known."""
    checksums: Checksums = Checksums()
    defects: tuple[Defect, ...] = ()
    fetch: str | None = None
    """Import path `module:function` of code that writes the raw files into a folder; None: they come from Kaggle."""
    is_official: bool = False

    @property
    def is_demo(self) -> bool:
        return self.complexity == "demo"

    @property
    def splits(self) -> frozenset[str]:
        """The splits that it belongs to. Published ones are fixed: a plug-in's competition is in `demo` or in none."""
        return SPLITS_BY_COMPLEXITY[self.complexity] if self.is_official or self.is_demo else frozenset()

    @property
    def is_doubtful(self) -> bool:
        """Whether a known leak or defect makes its v1 score doubtful."""
        return any(defect.doubtful for defect in self.defects)

    @property
    def is_comparable(self) -> bool:
        """Whether scores in v1 and v2 can be compared."""
        return all(defect.comparable for defect in self.defects)

    @cached_property
    def description(self) -> str:
        """The task text that an agent reads, in Markdown."""
        return (self.folder / "description.md").read_text(encoding="utf-8")

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """Constant tables such as class lists, by name; empty for most competitions."""
        path = self.folder / "data.json"
        if not path.exists():
            return MappingProxyType({})
        try:
            tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadFacts(f"{path} can't be read as JSON: {error}.") from error
        return MappingProxyType(tables)
