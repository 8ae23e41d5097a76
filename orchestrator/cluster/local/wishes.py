"""What a person asks of a `mlectl run` from another terminal: a word in a file beside the experiment's.

A file of its own, because only the process at work writes the experiment's.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from orchestrator.cluster.local.files import write_atomically


class Wish(StrEnum):
    """What is asked for."""

    CANCEL = "cancel"
    SUSPEND = "suspend"


def ask(experiment: Path, wish: Wish) -> None:
    """Leave word for whoever is at work on the experiment of this file."""
    write_atomically(_beside(experiment), wish)


def asked(experiment: Path) -> Wish | None:
    """What was asked for, if anything was."""
    try:
        return Wish(_beside(experiment).read_text())
    except FileNotFoundError:
        return None


def forget(experiment: Path) -> None:
    """It is done, or nobody is left to do it."""
    _beside(experiment).unlink(missing_ok=True)


def _beside(experiment: Path) -> Path:
    return experiment.with_suffix(".wish")
