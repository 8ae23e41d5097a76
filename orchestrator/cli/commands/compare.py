"""`mlectl compare`: what experiment B gained over experiment A, run by run."""

from __future__ import annotations

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("a", shell_complete=experiment_names)
@click.argument("b", shell_complete=experiment_names)
@place_options
@output_option
def command(a: str, b: str, where: Where, output: Format) -> None:
    """Compare the results of two experiments.

    A and B are experiments, here or on a cluster, or paths of report.json files. Runs are paired by competition and
    seed.
    """
    from orchestrator.cli.experiments import find_result
    from orchestrator.cli.screens.compare import show_comparison
    from orchestrator.report.compare import compare

    found = compare(find_result(where, a), find_result(where, b))
    emit(output, found.model_dump(mode="json"), lambda: show_comparison(found))
