"""`mlectl failures`: what went wrong in an experiment, by class: meaning, whose fault, what to do, and which runs."""

from __future__ import annotations

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--reason", help="Only this class, such as OOMKilled.")
@place_options
@output_option
def command(name: str, reason: str | None, where: Where, output: Format) -> None:
    """Show what went wrong, whose fault it was and what to do."""
    from orchestrator.cli.screens.failures import show_failures
    from orchestrator.cli.told_failures import failures_of

    failures = failures_of(where, name)
    found = [one for one in failures.classes if reason is None or one.reason.lower() == reason.lower()]
    emit(
        output,
        [one.model_dump(mode="json") for one in found],
        lambda: show_failures(failures.name, found, can_retry=failures.can_retry),
    )
