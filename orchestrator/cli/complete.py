"""What a shell offers after a Tab: ids of competitions, names of experiments. Silent where something is amiss."""

from __future__ import annotations

from contextlib import suppress

import click

SECONDS = 1.0
"""Nobody waits longer for a Tab."""


def competition_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Ids that begin with what was typed."""
    with suppress(Exception):
        import catalog

        return [name for name in catalog.ids() if name.startswith(incomplete)]
    return []


def experiment_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of experiments that begin with what was typed."""
    with suppress(Exception):
        from orchestrator.cli.experiments import find_all
        from orchestrator.cli.place import key_of
        from orchestrator.cli.where import Where

        flags = {name: ctx.params.get(name) for name in ("home", "local", "namespace", "context", "kubeconfig")}
        where = Where(**{name: value for name, value in flags.items() if value})
        names = [str(key_of(run)) for place in find_all(where, SECONDS) for run in place.all()]
        return [name for name in names if name.startswith(incomplete)]
    return []
