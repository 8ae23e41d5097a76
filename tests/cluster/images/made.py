"""The images by name."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.images import code, slow
from tests.cluster.rig import builtin
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.oci import Image

ORCHESTRATOR = "docker.io/mlectl/orchestrator:test"
BASELINE, DUMMY = "docker.io/mlectl/agent-baseline:test", "docker.io/mlectl/agent-dummy:test"
STORE = "docker.io/mlectl/store:test"


@dataclass(frozen=True)
class Images:
    """The names, as a pod writes them."""

    orchestrator: str = ORCHESTRATOR
    baseline: str = BASELINE
    dummy: str = DUMMY
    store: str = STORE


PATH = "PATH=/usr/local/bin:/usr/bin:/bin"
PLAIN = "PYTHONDONTWRITEBYTECODE=1"
FOLDERS = [f"{name}_DIR=/home/{name.lower()}" for name in ("SUBMISSION", "LOGS", "CODE", "AGENT")]


def make_all() -> list[Image]:
    """Every image, from the checkout as it is now."""
    return [orchestrator(), agent(BASELINE, "baseline"), agent(DUMMY, "dummy"), store()]


def orchestrator() -> Image:
    """`mlectl`, for any user and a read-only root."""
    layers = [slow.base(), slow.dependencies(), code.package()]
    return Image(ORCHESTRATOR, layers, {"User": "1000:1000", "Cmd": ["mlectl"], "Env": [PATH, PLAIN]})


def agent(name: str, folder: str) -> Image:
    """A bundled agent: its folder, Python and the packages that the orchestrator has, but not the orchestrator."""
    layers = [slow.base(), slow.dependencies(), code.agent(folder)]
    command = ["bash", "/home/agent/start.sh"]
    settings = {"User": "1000:1000", "Cmd": command, "WorkingDir": "/home", "Env": [PATH, PLAIN, *FOLDERS]}
    return Image(name, layers, settings)


def store() -> Image:
    """SeaweedFS, the binary that the tests of storage use."""
    weed = shutil.which("weed", path=str(Path(sys.executable).parent))
    if not weed:
        raise RigError("The command weed is not in this virtualenv; run: make venv")
    return builtin.program(STORE, Path(weed))
