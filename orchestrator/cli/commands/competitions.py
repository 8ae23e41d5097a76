"""`mlectl competitions`: what there is to run, by split, and what of it is prepared; or the facts of one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.complete import competition_ids
from orchestrator.cli.home import benchmark_option, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell
from orchestrator.cli.text import count, one_line, table

if TYPE_CHECKING:
    from catalog import Competition

SPLITS = ["lite", "low", "medium", "high", "all", "dev", "demo"]


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


def show_list(competitions: Sequence[Competition], prepared: Collection[str]) -> str:
    """A line for each, smallest complexity first."""
    order = ["low", "medium", "high", "dev", "demo"]
    shown = sorted(competitions, key=lambda one: (order.index(one.complexity), one.id.lower()))
    rows = [[one.id, one.complexity, one.category, _size(one), "yes" if one.id in prepared else "no"] for one in shown]
    ready = sum(one.id in prepared for one in shown)
    head = table(["COMPETITION", "COMPLEXITY", "CATEGORY", "SIZE", "PREPARED"], rows, right=[3])
    return f"{head}\n{count(len(shown), 'competition')}, {ready} prepared\n"


def show_one(one: Competition, *, is_prepared: bool) -> str:
    """What is worth knowing of one competition."""
    better = "lower is better" if one.lower_is_better else "higher is better"
    made_up = " (made up for the demo)" if one.is_demo else ""
    lines = [
        one.id,
        f"  {one.name}",
        "",
        f"  complexity  {one.complexity}   category  {one.category}   size  {_size(one) or 'unknown'}",
        f"  metric      {one.metric}, {better}",
        f"  teams       {one.medals.teams:,}{made_up}",
        f"  gold {one.medals.gold:g}   silver {one.medals.silver:g}   bronze {one.medals.bronze:g}   "
        f"median {one.medals.median:g}",
        f"  prepared    {'yes' if is_prepared else f'no; run: mlectl prepare -c {one.id}'}",
    ]
    if one.defects:
        lines += ["", "  known defects", *(f"  - {one_line(defect.what, 200)}" for defect in one.defects)]
    return "\n".join(lines) + "\n"


def _size(one: Competition) -> str:
    if not one.size_gb:
        return ""
    return f"{one.size_gb:,.1f} GB" if one.size_gb >= 0.1 else f"{one.size_gb * 1000:,.1f} MB"
