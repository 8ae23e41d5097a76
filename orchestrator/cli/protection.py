"""Whether agents ran without being kept apart from the machine: a word that stands beside every score of theirs."""

from __future__ import annotations

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.results import collect_result
from orchestrator.cluster.local.home import Home
from orchestrator.report.documents import CollectError
from orchestrator.storage.open import open_store


class Protection:
    """Asks the run records, and only again when there are more of them."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._known: dict[tuple[str, int, int], bool] = {}

    def is_lacking(self, run: ExperimentRun) -> bool:
        """Whether any of the experiment's results is unprotected. False while there is none."""
        counts = run.status.runs
        key = (run.metadata.uid, counts.graded, counts.failed)
        if counts.graded + counts.failed == 0:
            return False
        if key not in self._known:
            self._known[key] = self._ask(run)
        return self._known[key]

    def _ask(self, run: ExperimentRun) -> bool:
        try:
            return collect_result(open_store(self._home.stores.runs), run).unprotected
        except CollectError:
            return False
