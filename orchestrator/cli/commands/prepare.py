"""`mlectl prepare`: raw files become datasets in the public store and answers in the private one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from orchestrator.cli.complete import competition_ids
from orchestrator.cli.options import SPLITS, benchmark_option, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@click.option(
    "-c", "--competition", "ids", multiple=True, shell_complete=competition_ids, help="An id; may be repeated."
)
@click.option("--lite", "split", flag_value="lite", help="The competitions of split lite.")
@click.option("--all", "split", flag_value="all", help="All 75 competitions.")
@click.option("--split", "split", type=click.Choice(SPLITS), help="The competitions of a split.")
@click.option("--list", "list_file", type=click.Path(dir_okay=False, path_type=Path), help="A file with an id a line.")
@click.option(
    "--raw",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that has raw files already: <id>/ of each competition.",
)
@click.option(
    "--unpacked", type=click.Path(file_okay=False, path_type=Path), help="Leave <id>/public and <id>/private here too."
)
@click.option("--force", is_flag=True, help="Prepare again what is prepared.")
@benchmark_option
@home_option
@output_option
def command(
    ids: tuple[str, ...],
    split: str | None,
    list_file: Path | None,
    raw: Path | None,
    unpacked: Path | None,
    force: bool,
    benchmark: str,
    home: Path | None,
    output: Format,
) -> int:
    """Fetch competitions' raw files and prepare datasets and answers.

    Before the first byte is fetched, Kaggle is asked whether the rules of all chosen competitions are accepted.
    Downloads resume and are checked. What is prepared is not prepared again.
    """
    from orchestrator.cli.bars import steps
    from orchestrator.cli.choosing import choose_competitions, must_have_preparers, raw_folders
    from orchestrator.cli.preparation import Preparation, exit_code
    from orchestrator.cli.screens.prepare import show_outcomes

    here = open_home(home)
    chosen = choose_competitions(ids, split, list_file)
    must_have_preparers(chosen)
    work = Preparation(here, benchmark, raw_folders(here, chosen, raw), unpacked, force)
    work.check_rules(chosen)
    with steps(len(chosen)) as tell:
        outcomes = work.prepare_all(chosen, tell)
    emit(output, [asdict(one) for one in outcomes], lambda: show_outcomes(outcomes, unpacked))
    return exit_code(outcomes)
