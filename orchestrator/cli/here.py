"""This machine as a place of experiments: what `mlectl run` started."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun
from orchestrator.cli.agent_log import AgentLog
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.cli.place import key_of, keys_of
from orchestrator.cli.protection import Protection
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.cluster.local.files import is_locked
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.tasks import task_folders
from orchestrator.cluster.local.wishes import Wish, ask
from orchestrator.core.model import AttemptKey, RunKey
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store


class Here:
    """The experiments of a home."""

    label = "this machine"
    start = "mlectl run FILE"
    can_retry = False
    look_seconds = 0.5

    def __init__(self, home: Home) -> None:
        self.home = home
        self.folder = ExperimentFolder(home.experiments)
        self._protection = Protection(home)

    def all(self) -> list[ExperimentRun]:
        return list(self.folder.list())

    def get(self, key: Key) -> ExperimentRun | None:
        return self.folder.get(key)

    def store(self, run: ExperimentRun) -> Store:
        return open_store(self.home.stores.runs)

    def log(self, run: ExperimentRun, key: AttemptKey) -> AgentLog:
        return AgentLog(self.home, run, key)

    def is_unprotected(self, run: ExperimentRun) -> bool:
        return self._protection.is_lacking(run)

    def idle(self, run: ExperimentRun) -> str:
        if run.status.phase.is_finished or self._is_driven(run):
            return ""
        return "next: mlectl run FILE goes on with it; nothing is at work on it now"

    def cancel(self, run: ExperimentRun) -> str:
        self._must_be_driven(run, "to cancel", f"`mlectl delete {key_of(run)}` removes it")
        ask(self.folder.path(key_of(run)), Wish.CANCEL)
        return f"{key_of(run)} is being cancelled: its agents are stopped, and what they left is still graded."

    def suspend(self, run: ExperimentRun) -> str:
        self._must_be_driven(run, "to suspend", "`mlectl run FILE` goes on with it")
        ask(self.folder.path(key_of(run)), Wish.SUSPEND)
        return f"{key_of(run)} is being suspended, as by Ctrl-C; go on with: mlectl run FILE"

    def resume(self, run: ExperimentRun) -> str:
        raise Trouble(f"{key_of(run)} lives on this machine; running its file goes on with it: mlectl run FILE", USAGE)

    def retry(self, run: ExperimentRun, attempts: Mapping[RunKey, int]) -> str:
        raise Trouble(
            f"{key_of(run)} lives on this machine, where running its file tries all that is missing once more: "
            "mlectl run FILE",
            USAGE,
        )

    def delete(self, run: ExperimentRun, *, results: bool) -> str:
        key = key_of(run)
        if self._is_driven(run):
            raise Trouble(f"A `mlectl run` is at work on {key}; end that first: mlectl cancel {key}", USAGE)
        tasks = [folder for folder in task_folders(self.home.tasks) if folder.experiment_uid == run.metadata.uid]
        if any(folder.is_alive for folder in tasks):
            raise Trouble(
                f"Agents of {key} are still at work; take it up with mlectl run FILE, then end it: mlectl cancel {key}",
                USAGE,
            )
        if results:
            delete_results(self.store(run), run)
        for folder in tasks:
            folder.remove()
        self.folder.remove(key)
        return f"Deleted {key}; its results {'are gone too' if results else 'stay in the store'}."

    def _is_driven(self, run: ExperimentRun) -> bool:
        """Whether a `mlectl run` is at work on it now."""
        return is_locked(self.folder.lock_path(key_of(run)))

    def _must_be_driven(self, run: ExperimentRun, wish: str, instead: str) -> None:
        if run.status.phase.is_finished:
            raise Trouble(f"{key_of(run)} has finished ({run.status.phase}): there is nothing {wish}.", USAGE)
        if not self._is_driven(run):
            raise Trouble(f"Nothing is at work on {key_of(run)} now, so there is nothing {wish}; {instead}.", USAGE)


def delete_results(store: Store, run: ExperimentRun) -> None:
    """Remove what the experiment has in the runs store."""
    for name in list(store.keys(f"{keys_of(run).prefix}/")):
        store.delete(name)
