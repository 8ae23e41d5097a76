"""What a command's exit code means, and which code each kind of trouble has.

The families of exceptions are named, not imported: whoever raised one has imported it already, and nobody else has to.
"""

from __future__ import annotations

DONE = 0
FAILED = 1
"""The thing that was asked about failed."""
USAGE = 2
"""Wrong usage: the command, its arguments or the file it was given."""
UNREACHABLE = 3
"""Something that is needed is missing or out of reach."""
INTERRUPTED = 130

CODES: dict[str, int] = {
    "orchestrator.cli.exits.Trouble": FAILED,
    "catalog.errors.CatalogError": USAGE,
    "graders.errors.GraderError": FAILED,
    "orchestrator.api.load.SpecError": USAGE,
    "orchestrator.cluster.kubernetes.errors.ApiError": UNREACHABLE,
    "orchestrator.cluster.kubernetes.kubeconfig.BadKubeconfig": UNREACHABLE,
    "orchestrator.cluster.kubernetes.settings.BadSettings": USAGE,
    "orchestrator.cluster.local.agents.AgentNotRunnable": USAGE,
    "orchestrator.cluster.local.experiments.SpecChanged": USAGE,
    "orchestrator.controller.local_run.NotRunnable": USAGE,
    "orchestrator.report.compare.CompareError": USAGE,
    "orchestrator.report.documents.CollectError": UNREACHABLE,
    "orchestrator.report.export.ExportError": USAGE,
    "orchestrator.report.grading.ReportError": USAGE,
    "orchestrator.report.leaderboard.LeaderboardError": USAGE,
    "orchestrator.storage.store.StoreError": UNREACHABLE,
    "orchestrator.worker.kaggle.errors.KaggleError": UNREACHABLE,
    "orchestrator.worker.failure.WorkerFailure": FAILED,
    "preparers.errors.PreparationError": FAILED,
}


class Trouble(Exception):
    """Something to tell in a sentence, with the exit code that goes with it."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


def code_of(error: BaseException) -> int | None:
    """The exit code of an error that is told in a sentence; None for one that is a defect and keeps its traceback."""
    if isinstance(error, Trouble):
        return error.code
    for family in type(error).__mro__:
        if (code := CODES.get(f"{family.__module__}.{family.__qualname__}")) is not None:
            own: int = getattr(error, "exit_code", code)
            return own
    return None
