"""`mlectl report`: an experiment's result as a table, as data, or as the page report.html."""

from __future__ import annotations

import json
from pathlib import Path

import click

from orchestrator.cli.complete import experiment_names
from orchestrator.cli.options import place_options
from orchestrator.cli.output import Format, emit, output_option, tell
from orchestrator.cli.where import Where


@click.command()
@click.argument("name", shell_complete=experiment_names)
@click.option("--html", is_flag=True, help="Write the page report.html and print where it is.")
@click.option(
    "--to", type=click.Path(dir_okay=False, path_type=Path), help="With --html: the file.  [default: NAME-report.html]"
)
@place_options
@output_option
def command(name: str, html: bool, to: Path | None, where: Where, output: Format) -> None:
    """Show an experiment's result.

    NAME is an experiment, here or on a cluster, finished or not, or the path of a report.json.
    """
    from orchestrator.cli.experiments import find_result
    from orchestrator.cli.screens.report import show_report
    from orchestrator.report.reportjson import to_json

    if to is not None and not html:
        raise click.UsageError("--to names the file of --html; add --html.")
    result = find_result(where, name)
    if html:
        from orchestrator.report.html import to_html

        target = (to or Path(f"{result.name}-report.html")).absolute()
        target.write_text(to_html(result), encoding="utf-8")
        tell(f"Wrote the report of {result.name}; open it in a browser:")
        emit(output, {"report": str(target)}, lambda: f"{target}\n")
        return
    emit(output, json.loads(to_json(result)), lambda: show_report(result))
