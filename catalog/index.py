"""Which official competitions there are, by complexity: splits.toml, so that a list of ids costs one small file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import get_args

from catalog.competition import SPLITS_BY_COMPLEXITY, Complexity
from catalog.errors import UnknownSplit

INDEX = Path(__file__).parent / "splits.toml"
SPLITS = ("lite", "low", "medium", "high", "all", "dev", "demo")


@cache
def official() -> Mapping[str, Complexity]:
    """The complexity of every official competition, by id."""
    index = tomllib.loads(INDEX.read_text(encoding="utf-8"))
    complexities: tuple[Complexity, ...] = get_args(Complexity)
    return {name: complexity for complexity in complexities for name in index.get(complexity, ())}


def official_in(split: str) -> list[str]:
    """The official competitions of a split."""
    if split not in SPLITS:
        raise UnknownSplit(split, SPLITS)
    return [name for name, complexity in official().items() if split in SPLITS_BY_COMPLEXITY[complexity]]
