"""The options that more than one command has: where the home is, which version, which split."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from orchestrator.cluster.local.home import Home

Command = TypeVar("Command", bound=Callable[..., Any])

SPLITS = ["lite", "low", "medium", "high", "all", "dev", "demo"]
"""As `api.types.SPLITS` has them, without importing it for a help text."""


def home_option(command: Command) -> Command:
    """Adds `--home DIR` as the argument `home`, a path or None; `open_home` makes a Home of it."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where mlectl keeps its state. [default: $MLECTL_HOME, or mlectl in the user's data folder]",
    )(command)


def open_home(chosen: Path | None) -> Home:
    """The home that was chosen, or the one of the environment."""
    from orchestrator.cluster.local.home import Home

    return Home.find(chosen)


def benchmark_option(command: Command) -> Command:
    """Adds `--benchmark v1|v2` as the argument `benchmark`."""
    return click.option(
        "--benchmark",
        type=click.Choice(["v1", "v2"]),
        default="v1",
        show_default=True,
        help="v1 grades as the published leaderboard does; v2 has its known defects fixed.",
    )(command)


def data_option(command: Command) -> Command:
    """Adds `--data DIR` as the argument `data`, a folder of prepared competitions, or None: the stores have them."""
    return click.option(
        "--data",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder with <id>/private of each competition, instead of the stores.",
    )(command)
