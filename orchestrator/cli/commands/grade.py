"""`mlectl grade`: the submissions that a JSON lines file names become one grading report."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from orchestrator.cli.exits import DONE, FAILED
from orchestrator.cli.options import benchmark_option, data_option, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell


@click.command()
@click.option(
    "--submission",
    "submissions",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='JSON lines: {"competition_id": ID, "submission_path": PATH}.',
)
@click.option(
    "--output-dir",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where TIMESTAMP_grading_report.json goes.",
)
@benchmark_option
@data_option
@home_option
@output_option
def command(
    submissions: Path, output_dir: Path, benchmark: str, data: Path | None, home: Path | None, output: Format
) -> int:
    """Grade the submissions that a JSON lines file names.

    Paths are relative to the folder that the command is called in. Ends with code 1 if a submission could not be graded
    through no fault of its own.
    """
    from orchestrator.cli.answers import answers_of
    from orchestrator.cli.bars import counting
    from orchestrator.cli.entries import read_entries
    from orchestrator.cli.grading import grade_entries, grading_report, write_grading_report
    from orchestrator.cli.screens.grade import show_grading

    entries, here = read_entries(submissions), open_home(home)
    with counting("grading", len(entries)) as advance:
        graded = grade_entries(
            entries,
            lambda competition: answers_of(here, competition, benchmark, data),
            benchmark,
            lambda entry: advance(entry.competition_id),
        )
    content = grading_report(graded.reports)
    path = write_grading_report(content, output_dir, datetime.now(UTC))
    emit(output, content, lambda: show_grading(graded.reports))
    tell(f"Wrote {path}")
    for error in graded.errors:
        tell(f"not graded: {error}")
    return FAILED if graded.errors else DONE
