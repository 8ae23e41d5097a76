"""The screen of `mlectl aggregate`."""

from __future__ import annotations

from orchestrator.cli.screens.figures import show_figures
from orchestrator.cli.text import paragraph
from orchestrator.report.aggregate import Aggregate


def show_aggregate(found: Aggregate) -> str:
    """The figures, and what has to be said beside them."""
    notes = "\n".join(paragraph(note, "note: ") for note in found.notes)
    return show_figures(found.splits) + (f"\n{notes}\n" if notes else "")
