"""`mlectl logs`: what an agent wrote in a run, made harmless for a terminal."""

from __future__ import annotations

import codecs
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.complete import competition_ids, experiment_names
from orchestrator.cli.exits import UNREACHABLE, USAGE, Trouble
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option

if TYPE_CHECKING:
    from orchestrator.api.types import ExperimentRun
    from orchestrator.cli.agent_log import AgentLog

LOOK_SECONDS = 0.5


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.argument("competition", shell_complete=competition_ids)
@click.argument("seed", type=click.IntRange(min=0))
@click.option("--attempt", type=click.IntRange(min=1), help="Which attempt.  [default: the newest]")
@click.option("--tail", type=click.IntRange(min=1), metavar="LINES", help="Only the last lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on until the agent has ended.")
@click.option("--pod", is_flag=True, help="Instead what staging and the courier said.")
@home_option
@output_option
def command(
    name: str,
    competition: str,
    seed: int,
    attempt: int | None,
    tail: int | None,
    follow: bool,
    pod: bool,
    home: Path | None,
    output: Format,
) -> None:
    """Show what an agent wrote in a run."""
    from orchestrator.cli.agent_log import AgentLog, newest_attempt
    from orchestrator.cli.experiments import find_experiment
    from orchestrator.core.model import AttemptKey
    from orchestrator.report.words import plain

    if follow and (pod or output != "table"):
        raise click.UsageError("--follow prints the agent's log as it grows; leave --pod and -o out.")
    here = open_home(home)
    run = find_experiment(here, name)
    _must_have(run, name, competition, seed)
    number = attempt or newest_attempt(run, competition, seed)
    log = AgentLog(here, run, AttemptKey(competition, seed, number))
    if follow:
        _follow(log, tail)
        return
    data = log.read_pod() if pod else log.read()
    if data is None:
        raise Trouble(_nothing(log, pod=pod), UNREACHABLE)
    text = last_lines(plain(data.decode("utf-8", "replace")), tail)
    answer = {"competition": competition, "seed": seed, "attempt": number, "log": text}
    emit(output, answer, lambda: text)


def last_lines(text: str, tail: int | None) -> str:
    """The last lines of a text, or all of it."""
    return text if tail is None else "".join(text.splitlines(keepends=True)[-tail:])


def _must_have(run: ExperimentRun, name: str, competition: str, seed: int) -> None:
    from catalog.likeness import closest

    known = {row.competition for row in run.status.results}
    if competition not in known:
        near = closest(competition, known)
        hint = f" Did you mean {' or '.join(near)}?" if near else f" `mlectl runs {name}` lists its runs."
        raise Trouble(f"{name} has no run of {competition!r}.{hint}", USAGE)
    if seed >= run.spec.seeds:
        raise Trouble(f"{name} has seeds 0 to {run.spec.seeds - 1}, not {seed}.", USAGE)


def _nothing(log: AgentLog, *, pod: bool) -> str:
    key = log.key
    if key.attempt == 0:
        return f"{key.competition}, seed {key.seed} has not been started yet."
    what = "task is no longer kept" if pod else "agent has not written a log"
    return f"Attempt {key.attempt} of {key.competition}, seed {key.seed}: the {what}."


def _follow(log: AgentLog, tail: int | None) -> None:
    """Print whole lines as they come, until the task has ended."""
    from orchestrator.report.words import plain

    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    offset, rest = 0, ""
    while True:
        is_final = log.is_final
        data = log.read(offset) or b""
        if data or is_final:
            lines, _, rest = (rest + decode(data, is_final)).rpartition("\n")
            text = lines + "\n" if lines else ""
            click.echo(last_lines(plain(text), tail if offset == 0 else None), nl=False)
        offset += len(data)
        if is_final:
            click.echo(plain(rest), nl=False)
            return
        time.sleep(LOOK_SECONDS)
