"""`mlectl delete`: an experiment goes; its results only if that is asked for."""

from __future__ import annotations

import sys

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--results", is_flag=True, help="Also what its runs left in the store: submissions, logs, reports.")
@click.option("--yes", is_flag=True, help="Do not ask before results are deleted.")
@place_options
@output_option
def command(name: str, results: bool, yes: bool, where: Where, output: Format) -> None:
    """Delete an experiment; its results stay in the store.

    With --results they go too, for good; a person at a terminal is asked first.
    """
    from orchestrator.cli.experiments import find

    found = find(where, name)
    if results and not yes and sys.stdin.isatty():
        graded = found.run.status.runs.graded
        click.confirm(f"Delete {found.name} and all its results ({graded} graded) for good?", abort=True, err=True)
    done = found.place.delete(found.run, results=results)
    emit(output, {"name": found.name, "done": done}, lambda: done)
