"""The courier's side of the folder that it shares with the launcher; `launch.sh` lists the files.

What the launcher writes the agent could write too, so all of it is read as from a stranger.
"""

from __future__ import annotations

import logging
import math
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.worker.files import read_plain, replace_file

log = logging.getLogger("mlectl.courier")

LAUNCHER = "launch.sh"
STAGED = "staged.json"
"""When the dataset was in place; written by `stage`, before there is an agent."""


@dataclass(frozen=True)
class Control:
    """The shared folder."""

    path: Path

    def say_go(self, grace_seconds: float) -> None:
        self._say("go", f"{math.ceil(grace_seconds)}\n")

    def say_stop(self, grace_seconds: float) -> None:
        self._say("stop", f"{math.ceil(grace_seconds)}\n")

    def say_collected(self) -> None:
        self._say("collected", "")

    @property
    def stop_is_said(self) -> bool:
        return (self.path / "stop").is_file()

    @property
    def collected_is_said(self) -> bool:
        """Whether the launcher may hear it. Where a link leads in its container is not known here."""
        word = self.path / "collected"
        return word.is_symlink() or word.is_file()

    def _say(self, name: str, text: str) -> None:
        """Not worth our life: an agent that spoils this folder so that its launcher hears nothing is killed with it."""
        target = self.path / name
        try:
            if target.is_dir() and not target.is_symlink():
                target.rename(self.path / f".junk-{secrets.token_hex(4)}")
            replace_file(target, text)
        except OSError as error:
            log.warning("'%s' could not be said to the launcher: %s", name, error)

    def said(self, name: str) -> dict[str, list[str]] | None:
        """What the launcher's file says, `key=value` lines as lists by key; None while it is not there."""
        text = read_plain(self.path / name)
        return None if text is None else _collect(_pairs(text))

    def seconds_since_alive(self) -> float:
        """How long ago the launcher showed a sign of life; infinite if it never did."""
        try:
            return max(0.0, time.time() - (self.path / "alive").lstat().st_mtime)
        except OSError:
            return math.inf


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        key, separator, value = line.partition("=")
        if separator and value:
            yield key, value


def _collect(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
