"""Logs: one JSON object a line in a pod, with the experiment and the run that it is about in every line.

Whoever works on an experiment says so once (`about`), and every line that is written meanwhile, by whatever module,
carries it. Lines are written when something was decided or went wrong, not when a loop went round.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

_experiment: ContextVar[str | None] = ContextVar("experiment", default=None)
_run: ContextVar[dict[str, object] | None] = ContextVar("run", default=None)

NO_RUN: dict[str, object] = {"competition": None, "seed": None, "attempt": None}


@contextmanager
def about(experiment: str) -> Iterator[None]:
    """Lines written inside are about this experiment, `namespace/name`."""
    token = _experiment.set(experiment)
    try:
        yield
    finally:
        _experiment.reset(token)


@contextmanager
def about_run(competition: str | None, seed: int | None = None, attempt: int | None = None) -> Iterator[None]:
    """Lines written inside are about this run, or about a competition's dataset."""
    token = _run.set({"competition": competition, "seed": seed, "attempt": attempt})
    try:
        yield
    finally:
        _run.reset(token)


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "experiment": _experiment.get(),
            **(_run.get() or NO_RUN),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def set_up(level: str = "INFO", stream: TextIO | None = None) -> None:
    """Every line of this process as JSON; libraries speak up only when something is wrong."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("mlectl", "orchestrator"):
        logging.getLogger(name).setLevel(level.upper())
    logging.captureWarnings(True)
