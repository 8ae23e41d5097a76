"""What is seen while an experiment runs: a live screen in a terminal, a line for each event elsewhere. On stderr."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from orchestrator.api.types import ExperimentRun, ExperimentRunStatus
from orchestrator.cli.here import Here
from orchestrator.cli.output import tell
from orchestrator.cli.place import key_of
from orchestrator.cli.screens.status import show_one, show_open_runs
from orchestrator.cluster.local.home import Home
from orchestrator.core.model import Event
from orchestrator.report.words import one_line

if TYPE_CHECKING:
    from rich.live import Live

MOST_ROWS = 12


class Progress:
    """Shows an experiment's events and status while the block runs."""

    def __init__(self, experiment: ExperimentRun, home: Home) -> None:
        self._experiment = experiment
        self._here = Here(home)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show_status(self, status: ExperimentRunStatus) -> None:
        if self._live is None:
            return
        from rich.text import Text

        seen = self._experiment.model_copy(update={"status": status})
        kept = self._here.get(key_of(seen)) or seen  # with its uid
        unprotected = bool(status.any_medal) and self._here.is_unprotected(kept.model_copy(update={"status": status}))
        screen = show_one(seen, unprotected=unprotected) + show_open_runs(seen, MOST_ROWS)
        self._live.update(Text(screen.rstrip("\n"), no_wrap=True, overflow="crop"), refresh=True)

    def show_event(self, event: Event) -> None:
        line = f"{'! ' if event.is_warning else '  '}{event.reason}: {one_line(event.message, 400)}"
        if self._live is None:
            tell(line)
        else:
            self._live.console.print(line, markup=False, highlight=False)
