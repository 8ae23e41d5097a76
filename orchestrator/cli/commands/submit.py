"""`mlectl submit`: an experiment is handed to a cluster, whose controller does the rest."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.options import cluster_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@cluster_options
@output_option
def command(file: Path, where: Where, output: Format) -> None:
    """Hand an experiment to a cluster.

    FILE is an ExperimentRun, the same as for `mlectl run`. Everything that can be checked is checked before anything is
    sent. Submitting the same file again is harmless.
    """
    from orchestrator.cli.screens.submit import show_submitted
    from orchestrator.cli.spec_file import read_spec_file
    from orchestrator.cli.submission import submit
    from orchestrator.cli.there import There

    submitted = submit(read_spec_file(file), There.connect(where), where.namespace)
    emit(output, submitted.run.to_dict(), lambda: show_submitted(submitted))
