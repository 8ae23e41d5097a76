"""The screen of `mlectl prepare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.cli.preparation import Outcome
from orchestrator.cli.text import paragraph, table
from orchestrator.report.words import count, one_line


def show_outcomes(outcomes: Sequence[Outcome], unpacked: Path | None = None) -> str:
    """A line for each competition, why the failed ones failed, and the sum."""
    shown = table(["COMPETITION", "RESULT"], [[one.competition, one.became] for one in outcomes])
    failed = [one for one in outcomes if one.became == "failed"]
    why = [paragraph(one_line(one.message, 2000), f"{one.competition}: ") for one in failed]
    ready = f"{len(outcomes) - len(failed)} of {count(len(outcomes), 'competition')} prepared"
    where = f"; unpacked in {unpacked}" if unpacked else ""
    return "\n".join([shown, *why, *([""] if why else []), f"{ready}{where}"]) + "\n"
