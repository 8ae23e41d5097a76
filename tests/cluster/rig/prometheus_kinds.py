"""The Prometheus Operator's definitions of its kinds, as its authors publish them.

They lie in the operator's Go module, which ../tools/prometheus-operator pins by version and sum, as the rig's programs
are pinned. What was fetched once is kept beside those, outside the checkout. The operator itself does not run here.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import CACHE
from tests.cluster.rig.programs import PINS, find_go

MODULE = "github.com/prometheus-operator/prometheus-operator"
FILE = "example/prometheus-operator-crd/monitoring.coreos.com_{}.yaml"
KINDS = ("servicemonitors", "prometheusrules")
PINNED = PINS / "prometheus-operator"


class NotToBeHad(RigError):
    """The module can't be fetched from here."""


def files() -> list[Path]:
    """A definition a file; NotToBeHad if this machine has none and can't fetch them."""
    folder = CACHE / "programs" / f"{PINNED.name}-{version()}-{_key()}"
    if not folder.exists():
        _keep(_fetched(), folder)
    return [folder / f"{kind}.yaml" for kind in KINDS]


def version() -> str:
    found = re.search(rf"^require {re.escape(MODULE)} (v\S+)$", (PINNED / "go.mod").read_text(), re.MULTILINE)
    assert found, f"{PINNED}/go.mod does not require {MODULE}"
    return found[1]


def _key() -> str:
    return hashlib.sha256((PINNED / "go.sum").read_bytes()).hexdigest()[:12]


def _fetched() -> Path:
    """The module's folder in Go's own cache. Go compares it with go.sum; another content is no reason to go without."""
    done = subprocess.run(
        [find_go(), "mod", "download", "-json", f"{MODULE}@{version()}"],
        cwd=PINNED,
        env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = json.loads(done.stdout or "{}")
    if "SECURITY ERROR" in done.stderr + told.get("Error", ""):
        raise RigError(f"{MODULE} {version()} is not what go.sum says: {done.stderr.strip()}")
    if done.returncode:
        why = told.get("Error") or done.stderr.strip()
        raise NotToBeHad(f"The Prometheus Operator's kinds can't be fetched; let Go reach a module proxy: {why}")
    return Path(told["Dir"])


def _keep(module: Path, folder: Path) -> None:
    """Into a folder beside the final one first, so that half of them are never taken for all."""
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    for kind in KINDS:
        shutil.copyfile(module / FILE.format(kind), unfinished / f"{kind}.yaml")
    if folder.exists():  # another session was quicker
        shutil.rmtree(unfinished)
    else:
        unfinished.rename(folder)
