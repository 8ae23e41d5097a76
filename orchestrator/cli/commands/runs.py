"""`mlectl runs`: a line for each run of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option

STATES = ["Pending", "Preparing", "Queued", "Staging", "Running", "Collecting", "Grading", "Graded", "Failed"]


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--state", "states", multiple=True, type=click.Choice(STATES, case_sensitive=False), help="Only these.")
@click.option("-c", "--competition", "competitions", multiple=True, help="Only runs of these competitions.")
@home_option
@output_option
def command(name: str, states: Sequence[str], competitions: Sequence[str], home: Path | None, output: Format) -> None:
    """List the runs of an experiment."""
    from orchestrator.cli.experiments import find_experiment, has_demo
    from orchestrator.cli.protection import Protection
    from orchestrator.cli.results import all_rows
    from orchestrator.cli.screens.runs import show_runs

    here = open_home(home)
    run = find_experiment(here, name)
    rows = [
        row
        for row in sorted(all_rows(here, run), key=lambda row: (row.seed, row.competition.lower()))
        if (not states or row.state in states) and (not competitions or row.competition in competitions)
    ]
    unprotected = Protection(here).is_lacking(run)
    emit(
        output,
        [row.to_dict() for row in rows],
        lambda: show_runs(rows, run.status.runs.total, is_demo=has_demo(run), unprotected=unprotected),
    )
