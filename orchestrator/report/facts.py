"""What the catalog knows of an experiment's competitions, as the report keeps it."""

from __future__ import annotations

import catalog
from catalog import Competition
from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.expand import expand
from orchestrator.core.model import CompetitionFacts
from orchestrator.report.documents import CollectError
from orchestrator.report.result import Facts


def competitions_of(spec: ExperimentRunSpec) -> tuple[Facts, ...]:
    """The facts of the experiment's competitions, sorted as the catalog sorts them."""
    known = {id: CompetitionFacts(id, frozenset(), size_gb=0.0) for id in catalog.ids()}
    if spec.competitions.split is not None:
        members = frozenset({spec.competitions.split})
        known |= {id: CompetitionFacts(id, members, size_gb=0.0) for id in catalog.ids(spec.competitions.split)}
    expansion = expand(spec, known)
    if expansion.problems:
        raise CollectError(f"The competitions installed here are not those of the spec: {expansion.problems[0]}")
    try:
        found = [catalog.load(id) for id in sorted(expansion.competitions, key=str.lower)]
    except catalog.CatalogError as error:
        raise CollectError(str(error)) from error
    return tuple(facts_of(competition, spec.benchmark) for competition in found)


def facts_of(competition: Competition, version: str) -> Facts:
    """What the report says of a competition."""
    lines = competition.medals
    return Facts(
        id=competition.id,
        name=competition.name,
        complexity=competition.complexity,
        category=competition.category,
        metric=competition.metric,
        lower_is_better=competition.lower_is_better,
        gold=lines.gold,
        silver=lines.silver,
        bronze=lines.bronze,
        median=lines.median,
        teams=lines.teams,
        is_demo=competition.is_demo,
        doubtful=_why_doubtful(competition, version),
    )


def _why_doubtful(competition: Competition, version: str) -> str | None:
    """The defects that make its score doubtful; in v2 only those that v2 does nothing about."""
    doubts = [defect.what for defect in competition.defects if defect.doubtful and (version == "v1" or not defect.v2)]
    return " ".join(doubts) or None
