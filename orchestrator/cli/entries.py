"""The file that `mlectl grade` takes: JSON lines, each with `competition_id` and `submission_path`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import catalog
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.report.words import count

MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class Entry:
    """One submission to grade."""

    competition_id: str
    submission_path: Path | None
    """None: nothing was submitted."""


def read_entries(path: Path) -> list[Entry]:
    """Every line of the file; Trouble with all lines that are not as they should be."""
    if path.stat().st_size > MOST_BYTES:
        raise Trouble(
            f"{path} is larger than {MOST_BYTES >> 20} MiB; a line for each submission takes far less.", USAGE
        )
    entries: list[Entry] = []
    mistakes: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if not line.strip():
            continue
        found = _read_line(line)
        if isinstance(found, Entry):
            entries.append(found)
        else:
            mistakes.append(f"  line {number}: {found}")
    if mistakes:
        raise Trouble(f"{path} has {count(len(mistakes), 'mistake')}:\n" + "\n".join(mistakes), USAGE)
    if not entries:
        raise Trouble(f"{path} names no submission; {_EXAMPLE}", USAGE)
    return entries


_EXAMPLE = 'write a line such as {"competition_id": "spaceship-titanic", "submission_path": "submission.csv"}'


def _read_line(line: str) -> Entry | str:
    """The entry of a line, or what is wrong with it."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return f"not JSON; {_EXAMPLE}"
    if not isinstance(values, dict) or not isinstance(values.get("competition_id"), str):
        return f"no competition_id; {_EXAMPLE}"
    submission = values.get("submission_path")
    if "submission_path" not in values or not isinstance(submission, str | None):
        return "submission_path has to be a path, or null where nothing was submitted"
    try:
        catalog.load(values["competition_id"])
    except catalog.UnknownCompetition as error:
        return str(error)
    return Entry(values["competition_id"], Path(submission) if submission else None)
