"""`mlectl competitions`: what there is to run, by split, and what of it is prepared; or the facts of one."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.complete import competition_ids
from orchestrator.cli.options import SPLITS, benchmark_option, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell

if TYPE_CHECKING:
    from catalog import Competition


@click.command()
@click.argument("competition", required=False, shell_complete=competition_ids)
@click.option("--split", type=click.Choice(SPLITS), help="Only the competitions of a split.")
@benchmark_option
@home_option
@output_option
def command(competition: str | None, split: str | None, benchmark: str, home: Path | None, output: Format) -> None:
    """List the competitions, and which of them are prepared.

    With an id: the facts of that competition.
    """
    import catalog
    from orchestrator.cli.prepared import prepared_competitions
    from orchestrator.cli.screens.competitions import show_list, show_one
    from orchestrator.controller.stores import OpenStores

    stores = OpenStores.of(open_home(home).stores)
    if competition is not None:
        one = catalog.load(competition)
        prepared = prepared_competitions(stores, benchmark)
        emit(output, facts(one, prepared), lambda: show_one(one, is_prepared=one.id in prepared))
        return
    chosen = [catalog.load(name) for name in catalog.ids(split)]
    prepared = prepared_competitions(stores, benchmark)
    emit(output, [facts(one, prepared) for one in chosen], lambda: show_list(chosen, prepared))
    for problem in catalog.problems() if split in (None, "demo") else ():
        tell(problem)


def facts(one: Competition, prepared: Collection[str]) -> dict[str, Any]:
    """A competition as data."""
    return {
        "id": one.id,
        "name": one.name,
        "complexity": one.complexity,
        "splits": sorted(one.splits),
        "category": one.category,
        "metric": one.metric,
        "lower_is_better": one.lower_is_better,
        "size_gb": one.size_gb,
        "deadline": one.deadline.isoformat() if one.deadline else None,
        "teams": one.medals.teams,
        "gold": one.medals.gold,
        "silver": one.medals.silver,
        "bronze": one.medals.bronze,
        "median": one.medals.median,
        "official": one.is_official,
        "doubtful": one.is_doubtful,
        "prepared": one.id in prepared,
    }
