"""The screens of `mlectl prepare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.api.types import DatasetRow, ExperimentRun
from orchestrator.cli.preparation import Outcome
from orchestrator.cli.text import paragraph, table
from orchestrator.report.words import count, one_line, size


def show_outcomes(outcomes: Sequence[Outcome], unpacked: Path | None = None) -> str:
    """A line for each competition, why the failed ones failed, and the sum."""
    shown = table(["COMPETITION", "RESULT"], [[one.competition, one.became] for one in outcomes])
    failed = [one for one in outcomes if one.became == "failed"]
    why = [paragraph(one_line(one.message, 2000), f"{one.competition}: ") for one in failed]
    ready = f"{len(outcomes) - len(failed)} of {count(len(outcomes), 'competition')} prepared"
    where = f"; unpacked in {unpacked}" if unpacked else ""
    return "\n".join([shown, *why, *([""] if why else []), f"{ready}{where}"]) + "\n"


def show_datasets(run: ExperimentRun, asked: int, note: str = "") -> str:
    """How far a cluster is with the competitions that it was asked for, those that are not ready in a line each."""
    rows = run.status.datasets
    ready = f"{asked - len(rows)} of {count(asked, 'competition')} prepared" if run.status.observed_generation else ""
    shown = (
        table(["COMPETITION", "STATE", "TRY", "STEP"], [_dataset_row(row) for row in rows], right=[2]) if rows else ""
    )
    return "\n".join(part for part in (shown.rstrip("\n"), ready, note) if part) + "\n"


def _dataset_row(row: DatasetRow) -> list[str]:
    shared = "for another experiment too" if row.shared else ""
    words = [dataset_step(row), shared, one_line(row.message, 100)]
    return [row.competition, row.state, str(row.attempt or ""), "; ".join(word for word in words if word)]


def dataset_step(row: DatasetRow) -> str:
    """What a preparation is at: download 3.1 of 12.0 GB."""
    if row.step is None or row.done_bytes is None:
        return row.step or ""
    return f"{row.step} {size(row.done_bytes)}" + (f" of {size(row.total_bytes)}" if row.total_bytes else "")
