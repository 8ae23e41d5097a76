"""`mlectl leaderboard`: the published board, with an experiment where its figure would put it."""

from __future__ import annotations

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", required=False, shell_complete=experiment_names)
@click.option("--split", type=click.Choice(["lite", "low", "medium", "high", "all"]), help="Which board.")
@place_options
@output_option
def command(name: str | None, split: str | None, where: Where, output: Format) -> None:
    """Show the published entries, with an experiment among them.

    NAME is an experiment, here or on a cluster, or the path of a report.json. What keeps its figure from being compared
    with the others is listed below the board.
    """
    from orchestrator.cli.experiments import find_result
    from orchestrator.cli.screens.leaderboard import show_board
    from orchestrator.report.leaderboard import leaderboard

    result = find_result(where, name) if name else None
    board = leaderboard(result, split)
    emit(output, board.model_dump(mode="json"), lambda: show_board(board))
