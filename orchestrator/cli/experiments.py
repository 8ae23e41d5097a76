"""Finds experiments by the names that people type: `demo`, or `namespace/demo`; on this machine or on a cluster.

Flags decide first (`where.py`). Without any, a name is looked for on this machine and, where there is a kubeconfig, on
its cluster. A name that both have is not guessed at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from catalog.likeness import closest
from orchestrator.api.key import Key
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.cli.here import Here
from orchestrator.cli.output import tell
from orchestrator.cli.place import Found, Place, key_of
from orchestrator.cli.results import result_of
from orchestrator.cli.where import Where
from orchestrator.cluster.kubernetes.kubeconfig import BadKubeconfig, NoKubeconfig, find_target
from orchestrator.cluster.local.home import Home
from orchestrator.report.reportjson import from_json
from orchestrator.report.result import ExperimentResult

if TYPE_CHECKING:
    from orchestrator.cli.there import There

GLANCE_SECONDS = 2.0
"""Where an experiment is known to be here, so long a cluster may take to say that it has one of that name too."""


def find(where: Where, name: str) -> Found:
    """The experiment of that name; Trouble with the nearest names if there is none, or if there are two."""
    here, there = places(where)
    found = here.get(_key(name)) if here else None
    if here and found:
        _must_be_here_alone(there, name)
        return Found(here, found)
    if there:
        key = _key(name, there.namespace)
        if run := there.get(key):
            return Found(there, run)
    raise _nowhere(name, here, there)


def find_all(where: Where, seconds: float | None = None) -> list[Place]:
    """The places to look at where no name is given; a cluster may take so many seconds for an answer."""
    here, there = places(where)
    if there is not None and seconds is not None:
        there = there.within(seconds)
    return [place for place in (here, there) if place is not None]


def find_result(where: Where, name: str) -> ExperimentResult:
    """The result of an experiment as it stands now, or the one in a report.json."""
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        return from_json(path.read_bytes(), str(path))
    return result_of(find(where, name))


def places(where: Where) -> tuple[Here | None, There | None]:
    """Where the flags let us look. Without flags a cluster is looked at only where a kubeconfig names one."""
    if where.is_there:
        return None, _connect(where)
    here = Here(Home.find(where.home))
    return here, None if where.is_here else _named_cluster(where)


def _named_cluster(where: Where) -> There | None:
    """The kubeconfig's; one that can't be used is told of, and is no reason to leave this machine out."""
    try:
        find_target()
        return _connect(where)
    except NoKubeconfig:
        return None
    except BadKubeconfig as error:
        tell(f"mlectl: Only this machine is looked at. {error}")
        return None


def _connect(where: Where) -> There:
    from orchestrator.cli.there import There  # imports much, which nobody without a cluster needs

    return There.connect(where)


def _key(name: str, namespace: str = "default") -> Key:
    own, _, short = name.rpartition("/")
    return Key(own or namespace, short)


def _must_be_here_alone(there: There | None, name: str) -> None:
    """Refuse to guess which of two is meant. A cluster that does not answer at once is not asked again."""
    if there is None:
        return
    try:
        other = there.within(GLANCE_SECONDS).get(_key(name, there.namespace))
    except Trouble:
        return
    if other is not None:
        raise Trouble(
            f"{name} is on this machine and on the cluster {there.label} too; "
            f"say which one you mean: --local, or -n {other.metadata.namespace}.",
            USAGE,
        )


def _nowhere(name: str, here: Here | None, there: There | None) -> Trouble:
    where = " or ".join([*([str(here.home.root)] if here else []), *([_on(there, name)] if there else [])])
    known = [*(_names(here, "default") if here else []), *(_names(there, there.namespace) if there else [])]
    if not known:
        start = " or ".join(place.start for place in (here, there) if place)
        return Trouble(f"There is no experiment in {where} yet. Start one with: {start}", USAGE)
    near = closest(name, known)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(known[:10])}."
    return Trouble(f"There is no experiment called {name!r} in {where}. {hint}", USAGE)


def _names(place: Place, namespace: str) -> list[str]:
    """Names that `find` takes, short where that will do."""
    keys = [key_of(run) for run in place.all()]
    return [key.name if key.namespace == namespace else str(key) for key in keys]


def _on(there: There, name: str) -> str:
    return f"namespace {_key(name, there.namespace).namespace} of the cluster {there.label}"
