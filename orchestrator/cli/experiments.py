"""Finds this home's experiments by the names that people type: `demo`, or `namespace/demo`."""

from __future__ import annotations

import catalog
from catalog.likeness import closest
from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.cluster.local.files import is_locked
from orchestrator.cluster.local.home import Home


def all_experiments(home: Home) -> list[ExperimentRun]:
    """Every experiment, by namespace and name."""
    return list(ExperimentFolder(home.experiments).list())


def find_experiment(home: Home, name: str) -> ExperimentRun:
    """The experiment of that name; Trouble with the nearest names if there is none."""
    namespace, _, short = name.rpartition("/")
    found = ExperimentFolder(home.experiments).get(Key(namespace or "default", short))
    if found is not None:
        return found
    known = names_in(home)
    if not known:
        raise Trouble(f"There is no experiment in {home.root} yet. Start one with: mlectl run FILE", USAGE)
    near = closest(name, known)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(known[:10])}."
    raise Trouble(f"There is no experiment called {name!r} in {home.root}. {hint}", USAGE)


def names_in(home: Home) -> list[str]:
    """The names that `find_experiment` takes."""
    return [name_of(run) for run in all_experiments(home)]


def name_of(run: ExperimentRun) -> str:
    """How people call an experiment."""
    return str(Key(run.metadata.namespace, run.metadata.name))


def has_demo(run: ExperimentRun) -> bool:
    """Whether it runs demo competitions, whose medal lines are made up."""
    chosen = run.spec.competitions
    return chosen.split == "demo" or not set(catalog.ids("demo")).isdisjoint(chosen.ids or ())


def is_driven(home: Home, run: ExperimentRun) -> bool:
    """Whether a `mlectl run` is at work on it now."""
    key = Key(run.metadata.namespace, run.metadata.name)
    return is_locked(ExperimentFolder(home.experiments).lock_path(key))
