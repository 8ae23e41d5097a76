"""`mlectl export`: an experiment as a folder in the reference harness's run-group layout."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.cli.home import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@home_option
@output_option
def command(name: str, folder: Path, home: Path | None, output: Format) -> None:
    """Write an experiment out as the reference harness lays out its runs.

    A run group a seed: submissions, code, logs, submission.jsonl and a grading report. FOLDER must be new or empty.
    """
    from orchestrator.cli.bars import counting
    from orchestrator.cli.experiments import find_experiment
    from orchestrator.cli.export import export
    from orchestrator.cli.results import collect_result
    from orchestrator.storage.open import open_store

    if folder.exists() and any(folder.iterdir()):
        raise Trouble(f"{folder} is not empty; name a folder that does not exist yet.", USAGE)
    here = open_home(home)
    run = find_experiment(here, name)
    result = collect_result(here, run)
    with counting("exporting", sum(row.attempt > 0 for row in result.rows)) as advance:
        created_at = run.metadata.creation_timestamp or datetime.now(UTC)
        groups = export(result, open_store(here.stores.runs), folder, created_at, advance)
    emit(output, {"run_groups": [str(group) for group in groups]}, lambda: "".join(f"{group}\n" for group in groups))
    tell(f"Wrote {name} to {folder}")
