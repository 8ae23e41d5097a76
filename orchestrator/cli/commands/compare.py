"""`mlectl compare`: what experiment B gained over experiment A, run by run."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@click.argument("a", shell_complete=experiment_names)
@click.argument("b", shell_complete=experiment_names)
@home_option
@output_option
def command(a: str, b: str, home: Path | None, output: Format) -> None:
    """Compare the results of two experiments.

    A and B are experiments of this home or paths of report.json files. Runs are paired by competition and seed.
    """
    from orchestrator.cli.results import find_result
    from orchestrator.cli.screens.compare import show_comparison
    from orchestrator.report.compare import compare

    here = open_home(home)
    found = compare(find_result(here, a), find_result(here, b))
    emit(output, found.model_dump(mode="json"), lambda: show_comparison(found))
