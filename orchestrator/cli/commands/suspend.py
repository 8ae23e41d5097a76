"""`mlectl suspend`: an experiment is held."""

from __future__ import annotations

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", shell_complete=experiment_names)
@place_options
@output_option
def command(name: str, where: Where, output: Format) -> None:
    """Hold an experiment: nothing new starts.

    Running agents end with notice and keep what they have. With `agent.resume` they go on later with the time that is
    left; otherwise they start again.
    """
    from orchestrator.cli.experiments import find

    found = find(where, name)
    done = found.place.suspend(found.run)
    emit(output, {"name": found.name, "done": done}, lambda: done)
