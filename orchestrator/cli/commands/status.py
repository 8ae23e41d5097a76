"""`mlectl status`: how far experiments are, in a line or two each; `--watch` keeps the screen up to date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.exits import DONE, FAILED, UNREACHABLE, Trouble
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option, tell
from orchestrator.cli.watch import watch_screen
from orchestrator.cli.where import Where

if TYPE_CHECKING:
    from orchestrator.api.types import ExperimentRun
    from orchestrator.cli.place import Found, Place
    from orchestrator.cli.screens.status import Line


@click.command()
@click.argument("name", required=False, shell_complete=experiment_names)
@click.option("-w", "--watch", is_flag=True, help="Keep looking until the experiment has finished.")
@place_options
@output_option
def command(name: str | None, watch: bool, where: Where, output: Format) -> int:
    """Show how far experiments are.

    Without a name: a line for each, here and on the cluster. Ends with code 1 if the named experiment has failed.
    """
    if watch and output != "table":
        raise click.UsageError("--watch shows a screen; leave -o out, or call `mlectl status -o json` again and again.")
    return _show_all(where, output, watch) if name is None else _show_one(where, name, output, watch)


def _show_all(where: Where, output: Format, watch: bool) -> int:
    from orchestrator.cli.experiments import find_all
    from orchestrator.cli.screens.status import show_list

    places = find_all(where)

    def screen() -> str:
        return show_list(_lines(places), datetime.now(UTC), " or ".join(place.start for place in places))

    if watch:
        watch_screen(lambda _: (screen(), False), max(place.look_seconds for place in places))
    if output == "table":
        emit(output, None, screen)
    else:
        emit(output, [run.to_dict() for _, run in _runs(places)], screen)
    return DONE


def _lines(places: Sequence[Place]) -> list[Line]:
    from orchestrator.cli.screens.status import Line

    return [
        Line(
            run,
            where=place.label if len(places) > 1 else "",
            unprotected=bool(run.status.any_medal) and place.is_unprotected(run),
        )
        for place, run in _runs(places)
    ]


def _runs(places: Sequence[Place]) -> list[tuple[Place, ExperimentRun]]:
    """Every experiment. A cluster that nobody asked for by a flag may be out of reach: the rest is shown."""
    found: list[tuple[Place, ExperimentRun]] = []
    for place in places:
        try:
            found += [(place, run) for run in place.all()]
        except Trouble as trouble:
            if len(places) == 1:
                raise
            tell(f"mlectl: {trouble}")
    return found


def _show_one(where: Where, name: str, output: Format, watch: bool) -> int:
    from orchestrator.api.types import Phase
    from orchestrator.cli.experiments import find

    found = find(where, name)
    if watch:
        found = _watch(found)
    else:
        emit(output, found.run.to_dict(), lambda: _text(found))
    return FAILED if found.run.status.phase is Phase.FAILED else DONE


def _text(found: Found) -> str:
    from orchestrator.cli.screens.status import show_one

    run = found.run
    unprotected = bool(run.status.any_medal) and found.place.is_unprotected(run)
    return show_one(run, idle=found.place.idle(run), unprotected=unprotected)


def _watch(found: Found) -> Found:
    """The experiment as it was when it had finished. A cluster that is away for a while is waited for."""
    from orchestrator.cli.screens.status import show_open_runs

    def screen(height: int) -> tuple[str, bool]:
        nonlocal found
        away = ""
        try:
            found = found.look_again()
        except Trouble as trouble:
            if trouble.code != UNREACHABLE:
                raise
            away = f"\n{trouble}\n"
        text = _text(found) + show_open_runs(found.run, height - 6) + away
        return text, found.run.status.phase.is_finished

    watch_screen(screen, found.place.look_seconds)
    return found
