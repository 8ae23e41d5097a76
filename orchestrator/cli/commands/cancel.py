"""`mlectl cancel`: an experiment is ended for good."""

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
    """End an experiment for good.

    Its agents are stopped with notice, and what they left is still graded. `mlectl retry` tries runs that are missing
    then after all.
    """
    from orchestrator.cli.experiments import find

    found = find(where, name)
    done = found.place.cancel(found.run)
    emit(output, {"name": found.name, "done": done}, lambda: done)
