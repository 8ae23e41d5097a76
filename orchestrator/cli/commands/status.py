"""`mlectl status`: how far experiments are, in a line or two each; `--watch` keeps the screen up to date."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.exits import DONE, FAILED
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.watch import watch_screen

if TYPE_CHECKING:
    from orchestrator.api.types import ExperimentRun
    from orchestrator.cluster.local.home import Home


@click.command()
@click.argument("name", required=False, shell_complete=experiment_names)
@click.option("-w", "--watch", is_flag=True, help="Keep looking until the experiment has finished.")
@home_option
@output_option
def command(name: str | None, watch: bool, home: Path | None, output: Format) -> int:
    """Show how far experiments are.

    Without a name: a line for each. Ends with code 1 if the named experiment has failed.
    """
    if watch and output != "table":
        raise click.UsageError("--watch shows a screen; leave -o out, or call `mlectl status -o json` again and again.")
    here = open_home(home)
    return _show_all(here, output, watch) if name is None else _show_one(here, name, output, watch)


def _show_all(home: Home, output: Format, watch: bool) -> int:
    from orchestrator.cli.experiments import all_experiments, name_of
    from orchestrator.cli.protection import Protection
    from orchestrator.cli.screens.status import show_list

    protection = Protection(home)

    def screen() -> str:
        runs = all_experiments(home)
        unprotected = [name_of(run) for run in runs if run.status.any_medal and protection.is_lacking(run)]
        return show_list(runs, datetime.now(UTC), unprotected)

    if watch:
        watch_screen(lambda _: (screen(), False))
    emit(output, [run.to_dict() for run in all_experiments(home)], screen)
    return DONE


def _show_one(home: Home, name: str, output: Format, watch: bool) -> int:
    from orchestrator.api.types import Phase
    from orchestrator.cli.experiments import find_experiment, is_driven
    from orchestrator.cli.protection import Protection
    from orchestrator.cli.screens.status import show_one, show_open_runs

    protection = Protection(home)

    def text(run: ExperimentRun) -> str:
        unprotected = bool(run.status.any_medal) and protection.is_lacking(run)
        return show_one(run, is_driven=is_driven(home, run), unprotected=unprotected)

    def screen(height: int) -> tuple[str, bool]:
        run = find_experiment(home, name)
        return text(run) + show_open_runs(run, height - 6), run.status.phase.is_finished

    if watch:
        watch_screen(screen)
        run = find_experiment(home, name)
    else:
        run = find_experiment(home, name)
        emit(output, run.to_dict(), lambda: text(run))
    return FAILED if run.status.phase is Phase.FAILED else DONE
