"""`mlectl grade-sample`: one submission's score, medal and standing."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.complete import competition_ids
from orchestrator.cli.exits import DONE, FAILED
from orchestrator.cli.options import benchmark_option, data_option, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@click.argument("submission", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("competition", shell_complete=competition_ids)
@benchmark_option
@data_option
@home_option
@output_option
def command(
    submission: Path, competition: str, benchmark: str, data: Path | None, home: Path | None, output: Format
) -> int:
    """Grade one submission.

    Ends with code 1 if it is not valid. `-o json` is its grading report.
    """
    from catalog import load
    from graders import grade
    from orchestrator.cli.answers import answers_of
    from orchestrator.cli.screens.grade import show_grade

    with answers_of(open_home(home), competition, benchmark, data) as answers:
        report = grade(competition, submission, answers, benchmark)
    emit(output, report.as_data(), lambda: show_grade(report, is_demo=load(competition).is_demo))
    return DONE if report.valid else FAILED
