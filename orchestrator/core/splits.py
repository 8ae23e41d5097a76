"""Which splits an experiment has figures for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set

from orchestrator.api.types import SPLITS
from orchestrator.core.model import CompetitionFacts

SELECTED = "selected"
"""The name of a choice of competitions that is no split."""

ALIASES = frozenset({"lite"})
"""Other names of a split: lite is low."""


def choose_splits(chosen: Set[str], facts: Mapping[str, CompetitionFacts]) -> dict[str, frozenset[str]]:
    """The splits whose competitions were all chosen, in the order of `SPLITS`, and the choice itself if it is none."""
    members: dict[str, set[str]] = defaultdict(set)
    for competition in facts.values():
        for split in competition.splits:
            members[split].add(competition.id)
    covered = {
        split: frozenset(members[split])
        for split in SPLITS
        if split not in ALIASES and members[split] and members[split] <= chosen
    }
    return covered if chosen in covered.values() else {**covered, SELECTED: frozenset(chosen)}
