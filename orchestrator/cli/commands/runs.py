"""`mlectl runs`: a line for each run of an experiment."""

from __future__ import annotations

from collections.abc import Sequence

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where

STATES = ["Pending", "Preparing", "Queued", "Staging", "Running", "Collecting", "Grading", "Graded", "Failed"]


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--state", "states", multiple=True, type=click.Choice(STATES, case_sensitive=False), help="Only these.")
@click.option("-c", "--competition", "competitions", multiple=True, help="Only runs of these competitions.")
@place_options
@output_option
def command(name: str, states: Sequence[str], competitions: Sequence[str], where: Where, output: Format) -> None:
    """List the runs of an experiment."""
    from orchestrator.cli.experiments import find
    from orchestrator.cli.place import has_demo
    from orchestrator.cli.results import all_rows
    from orchestrator.cli.screens.runs import show_runs

    found = find(where, name)
    rows = [
        row
        for row in sorted(all_rows(found), key=lambda row: (row.seed, row.competition.lower()))
        if (not states or row.state in states) and (not competitions or row.competition in competitions)
    ]
    total, is_demo = found.run.status.runs.total, has_demo(found.run)
    unprotected = found.place.is_unprotected(found.run)
    emit(
        output,
        [row.to_dict() for row in rows],
        lambda: show_runs(rows, total, is_demo=is_demo, unprotected=unprotected),
    )
