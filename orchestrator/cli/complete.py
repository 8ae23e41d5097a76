"""What a shell offers after a Tab: ids of competitions, names of experiments. Silent where something is amiss."""

from __future__ import annotations

from contextlib import suppress

import click


def competition_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Ids that begin with what was typed."""
    with suppress(Exception):
        import catalog

        return [name for name in catalog.ids() if name.startswith(incomplete)]
    return []


def experiment_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of this home's experiments that begin with what was typed."""
    with suppress(Exception):
        from orchestrator.cli.experiments import names_in
        from orchestrator.cli.options import open_home

        return [name for name in names_in(open_home(ctx.params.get("home"))) if name.startswith(incomplete)]
    return []
