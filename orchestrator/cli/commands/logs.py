"""`mlectl logs`: what an agent wrote in a run, made harmless for a terminal."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import click

from orchestrator.cli.complete import competition_ids, experiment_names
from orchestrator.cli.exits import UNREACHABLE, USAGE, Trouble
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where

if TYPE_CHECKING:
    from orchestrator.cli.place import Found, Log
    from orchestrator.core.model import RunKey


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.argument("competition", shell_complete=competition_ids)
@click.argument("seed", type=click.IntRange(min=0))
@click.option("--attempt", type=click.IntRange(min=1), help="Which attempt.  [default: the newest]")
@click.option("--tail", type=click.IntRange(min=1), metavar="LINES", help="Only the last lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on until the agent has ended.")
@click.option("--pod", is_flag=True, help="Instead what staging and the courier said.")
@place_options
@output_option
def command(
    name: str,
    competition: str,
    seed: int,
    attempt: int | None,
    tail: int | None,
    follow: bool,
    pod: bool,
    where: Where,
    output: Format,
) -> None:
    """Show what an agent wrote in a run.

    From the agent itself while it is at work, from the store afterwards.
    """
    from orchestrator.cli.experiments import find
    from orchestrator.core.model import RunKey
    from orchestrator.report.words import plain

    if follow and (pod or output != "table"):
        raise click.UsageError("--follow prints the agent's log as it grows; leave --pod and -o out.")
    found = find(where, name)
    run = RunKey(competition, seed)
    newest = newest_attempt(found, run)
    number = attempt or newest
    if number > newest:
        had = "attempt 1 alone" if newest == 1 else f"attempts 1 to {newest}"
        raise Trouble(f"{competition}, seed {seed} has {had}, and no {number}.", USAGE)
    log = found.place.log(found.run, run.attempt(number))
    if follow:
        _follow(log, tail)
        return
    data = log.read_pod() if pod else log.read()
    if data is None:
        what = "task is no longer kept" if pod else "agent has not written a log"
        raise Trouble(f"Attempt {number} of {competition}, seed {seed}: the {what}.", UNREACHABLE)
    text = last_lines(plain(data.decode("utf-8", "replace")), tail)
    answer = {"competition": competition, "seed": seed, "attempt": number, "log": text}
    emit(output, answer, lambda: text)


def newest_attempt(found: Found, run: RunKey) -> int:
    """The number of a run's last attempt; Trouble if there is no such run, or it was not started yet."""
    from orchestrator.cli.choosing_runs import row_of

    row = row_of(found, run)
    if row.attempt == 0:
        raise Trouble(f"{run.competition}, seed {run.seed} has not been started yet.", UNREACHABLE)
    return row.attempt


def last_lines(text: str, tail: int | None) -> str:
    """The last lines of a text, or all of it."""
    return text if tail is None else "".join(text.splitlines(keepends=True)[-tail:])


def _follow(log: Log, tail: int | None) -> None:
    """Print whole lines as they come, until the attempt has ended; `tail` cuts what is there at the start."""
    from orchestrator.report.words import plain

    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    rest, is_first = "", True
    for data in log.follow():
        lines, newline, rest = (rest + decode(data)).rpartition("\n")
        click.echo(last_lines(plain(lines + newline), tail if is_first else None), nl=False)
        is_first = is_first and not data
    click.echo(plain(rest + decode(b"", True)), nl=False)
