"""`mlectl doctor`: whether this machine has what is needed, and what to do where it has not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from orchestrator.cli.exits import DONE, UNREACHABLE
from orchestrator.cli.options import home_option, open_home
from orchestrator.cli.output import Format, emit, output_option


@click.command()
@home_option
@output_option
def command(home: Path | None, output: Format) -> int:
    """Check that this machine has what is needed.

    Ends with code 3 if there is a problem; a warning is no problem.
    """
    from orchestrator.cli.checks import check_all
    from orchestrator.cli.screens.doctor import show_checks

    checks = check_all(open_home(home))
    emit(output, [asdict(check) for check in checks], lambda: show_checks(checks))
    return UNREACHABLE if any(check.verdict == "problem" for check in checks) else DONE
