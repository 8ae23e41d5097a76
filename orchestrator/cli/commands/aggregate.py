"""`mlectl aggregate`: grading reports, one a seed, become figures by split, as published ones are made."""

from __future__ import annotations

from pathlib import Path

import click

from orchestrator.cli.options import SPLITS
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="REPORT.json...")
@click.option("--split", type=click.Choice(SPLITS), help="Only this split.  [default: all that the reports touch]")
@click.option(
    "--pad-missing", is_flag=True, help="Count a missing competition as a failure; otherwise its seed is left out."
)
@output_option
def command(reports: tuple[Path, ...], split: str | None, pad_missing: bool, output: Format) -> None:
    """Turn grading reports, one a seed, into figures by split.

    Mean and standard error over seeds, and the 95 % interval. Takes the reference's grading reports and the report.json
    of experiments.
    """
    from orchestrator.cli.screens.aggregate import show_aggregate
    from orchestrator.report.aggregate import aggregate

    found = aggregate(reports, split=split, pad_missing=pad_missing)
    emit(output, found.model_dump(mode="json"), lambda: show_aggregate(found))
