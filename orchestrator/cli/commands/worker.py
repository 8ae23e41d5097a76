"""`mlectl worker`: one piece of an experiment's work, as a pod or a local process does it. Not for people."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(hidden=True)
@click.argument("role")
@click.option("--order", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The order.")
def command(role: str, order: Path) -> int:
    """Do one piece of work, as a pod or a process of an experiment."""
    from orchestrator.worker.run import run

    return run(role, order)
