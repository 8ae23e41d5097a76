"""`mlectl prepare`: raw files become datasets in the public store and answers in the private one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.complete import competition_ids
from orchestrator.cli.options import SPLITS, benchmark_option, cluster_options, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option, tell
from orchestrator.cli.where import Where

if TYPE_CHECKING:
    from catalog import Competition
    from orchestrator.api.types import ExperimentRun


@click.command()
@click.argument("names", nargs=-1, metavar="[ID]...", shell_complete=competition_ids)
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
@click.option("--on-cluster", is_flag=True, help="Have a cluster do it, for all of its experiments.")
@benchmark_option
@home_option
@cluster_options
@output_option
def command(
    names: tuple[str, ...],
    ids: tuple[str, ...],
    split: str | None,
    list_file: Path | None,
    raw: Path | None,
    unpacked: Path | None,
    force: bool,
    on_cluster: bool,
    benchmark: str,
    where: Where,
    output: Format,
) -> int:
    """Fetch competitions' raw files and prepare datasets and answers.

    Before the first byte is fetched, Kaggle is asked whether the rules of all chosen competitions are accepted.
    Downloads resume and are checked. What is prepared is not prepared again.

    With --on-cluster the controller of a cluster has each competition prepared once for all experiments, with the
    Kaggle account of the cluster. The first preparation asks about the rules of all that wait behind it, before it
    fetches anything, and each asks about its own again; `mlectl doctor --cluster --probe -f FILE` asks and prepares
    nothing. Ctrl-C leaves it at work; the same command looks at it again.
    """
    from orchestrator.cli.bars import steps
    from orchestrator.cli.choosing import choose_competitions, must_have_preparers, raw_folders
    from orchestrator.cli.preparation import Preparation, exit_code
    from orchestrator.cli.screens.prepare import show_outcomes

    chosen = choose_competitions([*names, *ids], split, list_file)
    if on_cluster:
        if raw or unpacked or force:
            raise click.UsageError("--raw, --unpacked and --force are about this machine; leave them out.")
        return _on_cluster(chosen, benchmark, where, output)
    if where.is_there:
        raise click.UsageError("--namespace, --context and --kubeconfig go with --on-cluster; add it.")
    here = open_home(where.home)
    must_have_preparers(chosen)
    work = Preparation(here, benchmark, raw_folders(here, chosen, raw), unpacked, force)
    work.check_rules(chosen)
    with steps(len(chosen)) as tell:
        outcomes = work.prepare_all(chosen, tell)
    emit(output, [asdict(one) for one in outcomes], lambda: show_outcomes(outcomes, unpacked))
    return exit_code(outcomes)


def _on_cluster(chosen: list[Competition], benchmark: str, where: Where, output: Format) -> int:
    from orchestrator.cli.cluster_preparation import ask_cluster, follow, outcomes_of
    from orchestrator.cli.place import key_of
    from orchestrator.cli.preparation import exit_code
    from orchestrator.cli.screens.prepare import show_outcomes
    from orchestrator.cli.there import There

    there = There.connect(where)
    run = ask_cluster(there, chosen, benchmark)
    key = key_of(run)
    try:
        run = follow(there, run, _telling(len(chosen)))
    except KeyboardInterrupt:
        tell(f"The cluster goes on: the same command looks at it again, and `mlectl delete {key}` ends it.")
        raise
    outcomes = outcomes_of(run, chosen)
    code = exit_code(outcomes)
    if not code:
        there.delete(run, results=False)
    emit(output, [asdict(one) for one in outcomes], lambda: show_outcomes(outcomes))
    return code


def _telling(asked: int) -> Callable[[ExperimentRun, str], None]:
    """On stderr, whenever it has changed."""
    from orchestrator.cli.screens.prepare import show_datasets

    last = ""

    def show(run: ExperimentRun, note: str) -> None:
        nonlocal last
        shown = show_datasets(run, asked, note)
        if shown != last and not run.status.phase.is_finished:
            tell(shown)
        last = shown

    return show
