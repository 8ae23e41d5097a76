"""The screens of `mlectl status`: a line for each experiment, or one experiment with what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.api.types import DatasetRow, ExperimentRun, ExperimentRunStatus, RunState, departures
from orchestrator.cli.place import has_demo, key_of
from orchestrator.cli.screens.prepare import dataset_step
from orchestrator.cli.text import paragraph, table
from orchestrator.core.refused import JOBS_REFUSED
from orchestrator.report.words import count, one_line

_SHOWN_DATASETS = 5
_SHOWN_WAITS = 3
_COUNTED = ("graded", "running", "grading", "queued", "preparing", "pending", "failed")


@dataclass(frozen=True)
class Line:
    """An experiment in a list."""

    run: ExperimentRun
    where: str = ""
    """Which place it is in, if more than one was looked at."""
    unprotected: bool = False


def show_list(lines: Sequence[Line], now: datetime, start: str = "mlectl run FILE") -> str:
    """A line for each experiment; where there is none, how to start one."""
    if not lines:
        return f"No experiment yet. Start one with: {start}\n"
    rows = [_row(line, now) for line in lines]
    headers = ["NAME", "PHASE", "GRADED", "RUNNING", "FAILED", "ANY MEDAL %", "AGE", "WHERE"]
    if not any(line.where for line in lines):
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    has_departure = any(line.run.status.any_medal and departures(line.run.spec) for line in lines)
    note = "\n* not the published setting; `mlectl status NAME` says how\n" if has_departure else ""
    return table(headers, rows, right=[2, 3, 4, 6]) + note


def _row(line: Line, now: datetime) -> list[str]:
    run, counts = line.run, line.run.status.runs
    marks = [
        *(["*"] if departures(run.spec) else []),
        *(["demo"] if has_demo(run) else []),
        *(["unprotected"] if line.unprotected else []),
    ]
    medal = " ".join([run.status.any_medal, *marks]) if run.status.any_medal else ""
    age = _age(now - run.metadata.creation_timestamp) if run.metadata.creation_timestamp else ""
    graded = f"{counts.graded}/{counts.total}"
    name, phase = str(key_of(run)), run.status.phase.value
    return [name, phase, graded, str(counts.running), str(counts.failed), medal, age, line.where]


def show_one(run: ExperimentRun, *, idle: str = "", unprotected: bool = False) -> str:
    """The experiment in a line, and what to do next in another; `idle` is the line that says why nothing happens."""
    status, name = run.status, str(key_of(run))
    parts = [name, status.phase.value, *([_seed(run), _counts(status)] if run.spec.seeds else ["only prepares"])]
    first = "   ".join(part for part in parts if part)
    if medal := _medal(status):
        marks = [*(["made-up demo lines"] if has_demo(run) else []), *(["unprotected"] if unprotected else [])]
        first += "        " + " · ".join([medal, *marks])
    lines = [first, *_settings(run), *_data(status), *_waits(status), *_next(run, name), *([idle] if idle else [])]
    return "".join(f"{line}\n" for line in lines)


def _seed(run: ExperimentRun) -> str:
    """The seed that is being worked on, counted from 1."""
    open_seeds = [row.seed for row in run.status.results if not row.state.is_finished]
    if not open_seeds:
        return count(run.spec.seeds, "seed")
    return f"seed {min(open_seeds) + 1} of {run.spec.seeds}"


def _counts(status: ExperimentRunStatus) -> str:
    shown = [f"{number} {name}" for name in _COUNTED if (number := getattr(status.runs, name))]
    return " · ".join(shown) or "no runs yet"


def _medal(status: ExperimentRunStatus) -> str:
    figures = status.headline
    if figures is None or figures.any_medal_percent is None:
        return ""
    mean, sem = figures.any_medal_percent.mean, figures.any_medal_percent.sem
    spread = f" ± {sem:.1f}" if figures.complete_seeds > 1 else ""
    split = f", split {status.headline_split}" if status.headline_split != "selected" else ""
    return f"any medal {mean:.1f}{spread} % ({count(figures.complete_seeds, 'complete seed')}{split})"


def _settings(run: ExperimentRun) -> Iterator[str]:
    """Departures from the published setting: they stand beside every score."""
    if _medal(run.status) and (found := departures(run.spec)):
        yield paragraph("; ".join(found), "setting: ")


def _data(status: ExperimentRunStatus) -> Iterator[str]:
    """Datasets that are on their way, in a line, and why some are not, in a line each."""
    going = [row for row in status.datasets if row.state == "Preparing"]
    if going:
        words = [
            " ".join(word for word in (row.competition, dataset_step(row)) if word) for row in going[:_SHOWN_DATASETS]
        ]
        more = f" and {len(going) - _SHOWN_DATASETS} more" if len(going) > _SHOWN_DATASETS else ""
        shared = sum(row.shared for row in going)
        also = f" ({shared} begun by other experiments)" if shared else ""
        yield paragraph(f"{', '.join(words)}{more}{also}", "being prepared: ")
    yield from _each("not prepared", [row for row in status.datasets if row.state == "Unavailable"])
    yield from _each("in the way", [row for row in status.datasets if row.state == "Waiting" and row.message])


def _each(label: str, rows: Sequence[DatasetRow]) -> Iterator[str]:
    for row in rows[:_SHOWN_DATASETS]:
        yield paragraph(one_line(row.message, 400) or "no reason was given", f"{label}: {row.competition}: ")
    if len(rows) > _SHOWN_DATASETS:
        yield f"{label}: {len(rows) - _SHOWN_DATASETS} more"


def _waits(status: ExperimentRunStatus) -> Iterator[str]:
    """What runs wait for, a line for each thing that most of them do."""
    said = Counter(row.message for row in status.results if row.message)
    for message, number in said.most_common(_SHOWN_WAITS):
        yield paragraph(one_line(message, 400), f"waiting: {count(number, 'run')}: ")


def _next(run: ExperimentRun, name: str) -> Iterator[str]:
    status = run.status
    for condition in status.conditions:
        if condition.reason == JOBS_REFUSED:
            yield paragraph(condition.message, "waiting: ")
    failed = Counter(row.reason or "no reason" for row in status.results if row.state is RunState.FAILED)
    if failed:
        total = sum(failed.values())
        classes = ", ".join(f"{number} {reason}" for reason, number in failed.most_common())
        look = f"{count(total, 'run')} {'needs' if total == 1 else 'need'} a look"
        yield f"next: mlectl failures {name}      {look} ({classes})"
    if status.phase.is_finished and (run.spec.seeds or not status.datasets):
        refusals = [condition.message for condition in status.conditions if condition.reason == "SpecRefused"]
        if refusals and not status.report:
            yield f"refused: {refusals[0]}"
        elif run.spec.seeds:
            yield f"next: mlectl report {name}"


def _age(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def show_open_runs(run: ExperimentRun, most: int) -> str:
    """The runs that are at work, as many as fit."""
    shown = [row for row in run.status.results if not row.state.is_finished and row.state is not RunState.PENDING]
    if not shown:
        return ""
    rows = [[row.competition, str(row.seed), row.state.value, str(row.attempt)] for row in shown[:most]]
    more = f"… and {len(shown) - most} more\n" if len(shown) > most else ""
    return "\n" + table(["COMPETITION", "SEED", "STATE", "ATTEMPT"], rows, right=[1, 3]) + more
