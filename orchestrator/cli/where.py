"""Where a command looks for experiments, as its flags say: on this machine, on a cluster, or wherever there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click


@dataclass(frozen=True)
class Where:
    """The flags `--local` and `--home`, and kubectl's `--namespace`, `--context` and `--kubeconfig`."""

    home: Path | None = None
    local: bool = False
    namespace: str | None = None
    context: str | None = None
    kubeconfig: Path | None = None

    def __post_init__(self) -> None:
        if self.is_here and self.is_there:
            here = "--local" if self.local else "--home"
            raise click.UsageError(
                f"{here} means this machine, and --namespace, --context and --kubeconfig mean a cluster; choose one."
            )

    @property
    def is_here(self) -> bool:
        """Whether they ask for this machine."""
        return self.local or self.home is not None

    @property
    def is_there(self) -> bool:
        """Whether they ask for a cluster."""
        return any((self.namespace, self.context, self.kubeconfig))
