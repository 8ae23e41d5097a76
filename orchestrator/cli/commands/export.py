"""`mlectl export`: an experiment as a folder in the reference harness's run-group layout."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option, tell
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@place_options
@output_option
def command(name: str, folder: Path, where: Where, output: Format) -> None:
    """Write an experiment out as the reference harness lays out its runs.

    A run group a seed: submissions, code, logs, submission.jsonl and a grading report, of runs that have a result.
    """
    from orchestrator.cli.experiments import find
    from orchestrator.cli.place import keys_of
    from orchestrator.report.export import export
    from orchestrator.report.words import count, one_line

    found = find(where, name)
    written = export(found.place.store(found.run), keys_of(found.run), folder)
    groups = [str(group) for group in written.groups]
    answer = {"run_groups": groups, "runs": written.runs, "left_out": list(written.left_out)}
    emit(output, answer, lambda: "".join(f"{group}\n" for group in groups))
    for note in written.left_out:
        tell(f"left out: {one_line(note, 300)}")
    tell(f"Wrote {count(written.runs, 'run')} of {name}.")
