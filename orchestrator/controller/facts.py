"""What the decisions know of competitions, taken from the catalog."""

from __future__ import annotations

import catalog
from orchestrator.core.model import CompetitionFacts


def known_competitions() -> dict[str, CompetitionFacts]:
    """Every competition that is installed here, official or not."""
    found = (catalog.load(name) for name in catalog.ids())
    return {one.id: CompetitionFacts(one.id, one.splits, one.size_gb) for one in found}
