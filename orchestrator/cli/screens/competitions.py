"""The screens of `mlectl competitions`: all of them, or one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from catalog import Competition
from orchestrator.cli.text import table
from orchestrator.report.words import count, one_line


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
