"""`mlectl retry`: failed runs are tried again: all that have no result, one of them or a class of failures."""

from __future__ import annotations

import click

from orchestrator.cli.complete import competition_ids, experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where

FAULTS = ["agent", "infrastructure", "provider", "user", "us"]


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.argument("competition", required=False, shell_complete=competition_ids)
@click.argument("seed", required=False, type=click.IntRange(min=0))
@click.option("--reason", help="Failed runs of this class, such as NodeLost.")
@click.option("--fault", type=click.Choice(FAULTS), help="Failed runs that were this one's fault.")
@place_options
@output_option
def command(
    name: str,
    competition: str | None,
    seed: int | None,
    reason: str | None,
    fault: str | None,
    where: Where,
    output: Format,
) -> None:
    """Try failed runs again.

    Without more words: all that have no result. An agent's own failure is a result, which another attempt replaces only
    if you name the run, or its class by --reason or --fault; the report tells of it beside the score.
    """
    from orchestrator.cli.choosing_runs import failed_row, failed_rows
    from orchestrator.cli.experiments import find
    from orchestrator.core.model import RunKey

    if (competition is None) != (seed is None):
        raise click.UsageError("Name a run by its competition and its seed.")
    if competition and (reason or fault):
        raise click.UsageError("Name a run, or a class of failures by --reason or --fault; not both.")
    found = find(where, name)
    if competition is not None and seed is not None:
        rows = [failed_row(found, RunKey(competition, seed))]
    else:
        rows = failed_rows(found, reason, fault)
    attempts = {RunKey(row.competition, row.seed): row.attempt for row in rows}
    done = found.place.retry(found.run, attempts)
    runs = [{"competition": row.competition, "seed": row.seed, "reason": row.reason} for row in rows]
    emit(output, {"name": found.name, "done": done, "runs": runs}, lambda: done)
