"""`mlectl run`: a whole experiment on this machine, from its YAML to its report."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.exits import DONE, FAILED, INTERRUPTED
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--agent-folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder with start.sh that stands for the agent's image.",
)
@home_option
@output_option
def command(file: Path, agent_folder: Path | None, home: Path | None, output: Format) -> int:
    """Run an experiment on this machine.

    FILE is an ExperimentRun, the same as for a cluster. Ctrl-C stops the agents with notice; the same command goes on
    where they were. A finished experiment is not run again. Ends with code 1 if runs are missing or all failed.
    """
    from orchestrator.api.types import Phase
    from orchestrator.cli.here import Here
    from orchestrator.cli.place import Found
    from orchestrator.cli.places import place_of
    from orchestrator.cli.progress import Progress
    from orchestrator.cli.results import result_of
    from orchestrator.cli.screens.run import show_end
    from orchestrator.cli.screens.status import show_one
    from orchestrator.cli.spec_file import read_spec_file
    from orchestrator.controller.local_run import run

    wanted, here = read_spec_file(file), open_home(home)
    with Progress(wanted, here) as progress:
        finished = run(
            wanted, here, agent_folder=agent_folder, on_status=progress.show_status, on_event=progress.show_event
        )
    if finished.interrupted and not finished.status.phase.is_finished:
        tell(f"mlectl: Interrupted. What is done is kept; go on with: mlectl run {file}")
        return INTERRUPTED
    place = Here(here)
    found = Found(place, place.get(finished.key) or wanted)
    page = place_of(here.stores.runs, finished.keys.report_html)
    if wanted.spec.seeds:
        emit(output, found.run.to_dict(), lambda: show_end(result_of(found), finished.status, page))
    else:
        emit(output, found.run.to_dict(), lambda: show_one(found.run))
    return DONE if finished.status.phase is Phase.SUCCEEDED else FAILED
