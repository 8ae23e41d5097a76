"""The screen of `mlectl report`: the figures, and everything that belongs beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.api.key import Key
from orchestrator.cli.screens.figures import show_figures
from orchestrator.cli.text import paragraph, table
from orchestrator.report.result import ExperimentResult, RunRow
from orchestrator.report.words import NONE, count, listed, one_line, percent, score

MOST_SEEDS = 5
"""Seeds whose scores are shown one by one."""


def show_report(result: ExperimentResult) -> str:
    """The result for people."""
    parts = [_head(result), show_figures(result.figures), *_second_figures(result), _competitions(result)]
    return "\n".join([*parts, *_beside(result)]).rstrip("\n") + "\n"


def _head(result: ExperimentResult) -> str:
    done = sum(row.counts for row in result.rows)
    parts = [
        str(Key(result.namespace, result.name)),
        f"agent {one_line(result.ran.agent, 40)}",
        f"{count(len(result.competitions), 'competition')} × {count(result.seeds, 'seed')}",
        f"{done} of {count(len(result.rows), 'run')} with a result",
    ]
    marks = [
        *(["unprotected: nothing kept the agents apart from the machine"] if result.unprotected else []),
        *(["demo: its medal lines are made up, this is no result on the benchmark"] if result.is_demo else []),
    ]
    return "   ".join(parts) + "\n" + "".join(f"{mark}\n" for mark in marks)


def _second_figures(result: ExperimentResult) -> Iterator[str]:
    if result.figures_without_doubtful:
        names = listed([doubt.competition for doubt in result.doubtful], 3)
        yield f"without {count(len(result.doubtful), 'competition')} whose score is doubtful ({names}):"
        yield show_figures(result.figures_without_doubtful)


def _competitions(result: ExperimentResult) -> str:
    rows = []
    for facts in result.competitions:
        runs = sorted((row for row in result.rows if row.competition == facts.id), key=lambda row: row.seed)
        arrow = "↓" if facts.lower_is_better else "↑"
        rows.append([facts.id, f"{one_line(facts.metric, 32)} {arrow}", _scores(runs), _medals(runs), _beaten(runs)])
    return table(["COMPETITION", "METRIC", "SCORES", "MEDALS", "HUMANS BEATEN"], rows, right=[4])


def _scores(runs: Sequence[RunRow]) -> str:
    """Every seed's score or why it has none; of many seeds the range."""
    if len(runs) <= MOST_SEEDS:
        return "  ".join(score(row.score) if row.score is not None else row.reason or row.state for row in runs)
    found = sorted(row.score for row in runs if row.score is not None)
    lost = len(runs) - len(found)
    span = f"{score(found[0])} to {score(found[-1])}" if found else NONE
    return f"{span}, {lost} without" if lost else span


def _medals(runs: Sequence[RunRow]) -> str:
    medals = [row.medal for row in runs if row.medal]
    return ", ".join(f"{medals.count(kind)} {kind}" for kind in ("gold", "silver", "bronze") if kind in medals) or NONE


def _beaten(runs: Sequence[RunRow]) -> str:
    """The mean share of human teams that the scores beat."""
    found = [row.percentile for row in runs if row.percentile is not None]
    return percent(sum(found) / len(found)) if found else NONE


def _beside(result: ExperimentResult) -> Iterator[str]:
    """What a score is never shown without."""
    if result.departures:
        yield paragraph("; ".join(result.departures), "setting   ")
    ran = result.ran
    apart = [*(f"network {one}" for one in ran.network), *(f"isolation {one}" for one in ran.isolation)]
    yield paragraph("; ".join([*ran.images, *apart]), "ran       ")
    for note in result.notes:
        yield paragraph(one_line(note, 2000), "note      ")
    if result.failures:
        classes = ", ".join(f"{len(one.attempts)} {one.reason}" for one in result.failures)
        yield f"failures  {classes}; see: mlectl failures {Key(result.namespace, result.name)}"
