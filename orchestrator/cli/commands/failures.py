"""`mlectl failures`: what went wrong in an experiment, by class: meaning, whose fault, what to do, and which runs."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--reason", help="Only this class, such as OOMKilled.")
@home_option
@output_option
def command(name: str, reason: str | None, home: Path | None, output: Format) -> None:
    """Show what went wrong, whose fault it was and what to do."""
    from orchestrator.cli.results import find_result
    from orchestrator.cli.screens.failures import show_failures

    result = find_result(open_home(home), name)
    found = [one for one in result.failures if reason is None or one.reason.lower() == reason.lower()]
    emit(output, [one.model_dump(mode="json") for one in found], lambda: show_failures(name, found))
