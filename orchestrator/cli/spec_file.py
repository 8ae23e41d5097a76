"""An ExperimentRun from a file, with every mistake told at once."""

from __future__ import annotations

from pathlib import Path

import catalog
from orchestrator.api.document import MAX_BYTES
from orchestrator.api.load import SpecError, load
from orchestrator.api.types import ExperimentRun
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.report.words import count


def read_spec_file(path: Path) -> ExperimentRun:
    """The ExperimentRun in a file; Trouble with all mistakes in it, each by line and path."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise Trouble(f"{path} can't be read: {error.strerror}.", USAGE) from None
    except UnicodeDecodeError:
        raise Trouble(f"{path} is not UTF-8 text; write an ExperimentRun in YAML.", USAGE) from None
    try:
        return load(text, catalog.ids())
    except SpecError as error:
        lines = "\n".join(f"  {mistake}" for mistake in error.mistakes)
        raise Trouble(f"{path} has {count(len(error.mistakes), 'mistake')}:\n{lines}", USAGE) from None
