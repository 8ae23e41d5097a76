"""`mlectl worker`: one piece of an experiment's work, as a pod or a local process does it. Not for people."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(hidden=True)
@click.argument("role")
@click.option("--order", required=True, help="JSON that says with what: a file, or env:NAME for a variable.")
def command(role: str, order: str) -> int:
    """Do one piece of work, as a pod or a process of an experiment."""
    from orchestrator.worker.run import ROLES, VARIABLE, run

    if role not in ROLES:
        raise click.BadParameter(f"there is no worker {role!r}; choose from {', '.join(sorted(ROLES))}.")
    if not order.startswith(VARIABLE) and not Path(order).is_file():
        raise click.BadParameter(f"there is no file {order}; name the order's file, or env:NAME.")
    return run(role, order)
