"""`mlectl validate`: whether a submission would be accepted, and if not, why; never anything about its score."""

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
    """Say whether a submission would be accepted.

    Ends with code 1 if it would be rejected.
    """
    from graders import validate
    from orchestrator.cli.answers import answers_of
    from orchestrator.report.words import plain

    with answers_of(open_home(home), competition, benchmark, data) as answers:
        rejected = validate(competition, submission, answers, benchmark)
    answer = {"competition": competition, "valid": rejected is None, "rejection": rejected and rejected.as_data()}
    emit(output, answer, lambda: f"{submission} is valid.\n" if rejected is None else plain(str(rejected)))
    return DONE if rejected is None else FAILED
