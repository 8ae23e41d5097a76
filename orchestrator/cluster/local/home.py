"""Where `mlectl` keeps its state on this machine: stores, raw files, and what stands in for a control plane."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.worker.orders import Stores


@dataclass(frozen=True)
class Home:
    """One folder with everything in it; two homes know nothing of each other."""

    root: Path

    @staticmethod
    def find(chosen: Path | None = None) -> Home:
        """The chosen folder, else $MLECTL_HOME, else a folder in the user's data directory."""
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        named = chosen or os.environ.get("MLECTL_HOME") or f"{data}/mlectl"
        return Home(Path(named).expanduser().absolute())

    @property
    def stores(self) -> Stores:
        """The three stores: folders here, unless MLECTL_STORE_PUBLIC, _PRIVATE or _RUNS name others."""
        return Stores(
            **{
                name: os.environ.get(f"MLECTL_STORE_{name.upper()}") or (self.root / "store" / name).as_uri()
                for name in ("public", "private", "runs")
            }
        )

    def raw(self, competition: str) -> Path:
        """A competition's raw files, as Kaggle delivers them."""
        return self.root / "raw" / competition

    @property
    def experiments(self) -> Path:
        return self.root / "control" / "experimentruns"

    @property
    def tasks(self) -> Path:
        return self.root / "control" / "tasks"

    @property
    def validation(self) -> Path:
        return self.root / "control" / "validation"

    @property
    def scratch(self) -> Path:
        return self.root / "scratch"
