"""The options that more than one command has: where an experiment is, where the home is, which version, which split."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from orchestrator.cli.where import Where

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


def cluster_options(command: Command) -> Command:
    """Adds kubectl's flags as the argument `where`, for what only a cluster can do."""
    return _kubectl_options(_with_where(command))


def place_options(command: Command) -> Command:
    """Adds the flags that say where an experiment is, as the argument `where`."""
    local = click.option("--local", is_flag=True, help="On this machine, and not on a cluster.")
    return local(_kubectl_options(home_option(_with_where(command))))


def _kubectl_options(command: Command) -> Command:
    """Kubectl's names for kubectl's things."""
    namespace = click.option("-n", "--namespace", help="Namespace of the cluster.  [default: that of the context]")
    context = click.option("--context", help="Context of the kubeconfig.  [default: the current one]")
    kubeconfig = click.option(
        "--kubeconfig",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Which file names the cluster.  [default: $KUBECONFIG, or ~/.kube/config, or the pod's own account]",
    )
    return namespace(context(kubeconfig(command)))


def _with_where(command: Command) -> Command:
    @functools.wraps(command)
    def with_where(*arguments: Any, **options: Any) -> Any:
        flags = {field.name: options.pop(field.name) for field in fields(Where) if field.name in options}
        return command(*arguments, where=Where(**flags), **options)

    return cast(Command, with_where)


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
