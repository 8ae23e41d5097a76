"""This machine: small functions of one shape, in the order in which a newcomer needs them."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from importlib.metadata import version

import catalog
from orchestrator.cli.doctor.check import Check
from orchestrator.cluster.local.agents import bundled_agents
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.sandbox import is_available
from orchestrator.storage.open import open_store
from orchestrator.storage.store import StoreError
from orchestrator.worker.kaggle.credentials import find_credentials
from orchestrator.worker.kaggle.errors import KaggleError

LEAST_FREE_GB = 5.0
CLUSTER_SECONDS = 5.0


def check_all(home: Home) -> list[Check]:
    """Every check; none stops another."""
    return [check(home) for check in CHECKS]


def check_versions(home: Home) -> Check:
    """v1 grades are defined by what these versions do."""
    numpy, sklearn = version("numpy"), version("scikit-learn")
    found = f"mlectl {version('mlectl')}, Python {platform.python_version()}, numpy {numpy}, scikit-learn {sklearn}"
    if not numpy.startswith("1.26.") or not sklearn.startswith("1.5."):
        return Check("versions", "problem", found, "v1 grades need numpy 1.26, scikit-learn 1.5: use constraints.txt")
    return Check("versions", "ok", found)


def check_home(home: Home) -> Check:
    place = next(path for path in (home.root, *home.root.parents) if path.exists())
    if not os.access(place, os.W_OK):
        return Check("home", "problem", f"{home.root} can't be written", "choose another with --home or MLECTL_HOME")
    free = shutil.disk_usage(place).free / 1e9
    found = f"{home.root}, {free:,.0f} GB free"
    if free < LEAST_FREE_GB:
        return Check("home", "warning", found, "free some space: datasets are unpacked there")
    return Check("home", "ok", found)


def check_stores(home: Home) -> Check:
    """Each store answers, and takes an object."""
    for name in ("public", "private", "runs"):
        url = getattr(home.stores, name)
        try:
            store = open_store(url)
            store.write("doctor/probe", b"mlectl doctor was here")
            store.delete("doctor/probe")
        except StoreError as error:
            return Check("stores", "problem", f"{name}: {error}", f"check MLECTL_STORE_{name.upper()} and credentials")
    return Check("stores", "ok", "public, private and runs answer and take objects")


def check_isolation(home: Home) -> Check:
    if is_available():
        return Check("isolation", "ok", "agents run in Linux namespaces of their own")
    return Check(
        "isolation",
        "warning",
        "no sandbox here: agents would run unprotected, and every result says so",
        "allow user namespaces on a Linux machine (util-linux's unshare), or run on a cluster",
    )


def check_agents(home: Home) -> Check:
    names = bundled_agents()
    if not names:
        return Check("agents", "problem", "no bundled agent was found", "install mlectl again")
    return Check("agents", "ok", f"bundled: {', '.join(names)}")


def check_competitions(home: Home) -> Check:
    problems = catalog.problems()
    if problems:
        return Check("competitions", "problem", problems[0], "repair or uninstall that package")
    return Check("competitions", "ok", f"{len(catalog.ids())} known, {len(catalog.ids('demo'))} of them for the demo")


def check_kaggle(home: Home) -> Check:
    """Whether there are credentials; what they are is not shown."""
    try:
        return Check("kaggle", "ok", f"credentials in {find_credentials().source}")
    except KaggleError as error:
        return Check("kaggle", "warning", str(error), "only official competitions need them; the demo does not")


def check_cluster(home: Home) -> Check:
    """Whether there is one, and whether it knows what an ExperimentRun is."""
    from orchestrator.cli.exits import Trouble
    from orchestrator.cli.there import There
    from orchestrator.cli.where import Where
    from orchestrator.cluster.kubernetes.kubeconfig import BadKubeconfig, NoKubeconfig

    try:
        there = There.connect(Where())
        there.within(CLUSTER_SECONDS).all()
    except NoKubeconfig:
        return Check("cluster", "ok", "no kubeconfig, so experiments run on this machine")
    except (BadKubeconfig, Trouble) as error:
        return Check("cluster", "warning", str(error), "only `mlectl submit` and experiments on the cluster need it")
    return Check("cluster", "ok", f"context {there.label}, namespace {there.namespace}: knows ExperimentRuns")


CHECKS: tuple[Callable[[Home], Check], ...] = (
    check_versions,
    check_home,
    check_stores,
    check_isolation,
    check_agents,
    check_competitions,
    check_kaggle,
    check_cluster,
)
