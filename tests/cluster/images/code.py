"""The layers that change with the checkout: the package as its wheel installs it, and the bundled agents."""

import compileall
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from py_compile import PycInvalidationMode

from tests.cluster.images.slow import PACKAGES, PYTHON
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import CHECKOUT
from tests.cluster.rig.oci import Blob, small_layer

COMMAND = b"""#!/usr/bin/python3
import sys

from orchestrator.cli.main import main

sys.exit(main())
"""
AGENT_FOLDERS = {f"home/{name}": 0o777 for name in ("submission", "logs", "code")}


def package() -> Blob:
    """mlectl: the wheel's files where Python looks for them, compiled, and the command."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        with zipfile.ZipFile(build_wheel(Path(scratch))) as wheel:
            wheel.extractall(root)
        if sys.version.startswith(f"{PYTHON}."):  # another Python's compiled files would be of no use
            compile_all(root)
        files: dict[str, bytes | Path] = {
            f"{PACKAGES}/{path.relative_to(root)}": path for path in root.rglob("*") if path.is_file()
        }
        return small_layer({**files, "usr/local/bin/mlectl": COMMAND})


def agent(name: str) -> Blob:
    """An agent's folder as /home/agent."""
    folder = CHECKOUT / "images" / "agents" / name
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return small_layer({f"home/agent/{path.relative_to(folder)}": path for path in files}, folders=AGENT_FOLDERS)


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"The wheel cannot be built: {done.stderr.strip()[-1000:]}")
    return next(folder.glob("*.whl"))


def compile_all(root: Path) -> None:
    """Believed without a look at the source's date, which in a layer is always the same."""
    mode = PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(root, quiet=1, stripdir=str(root), prependdir=f"/{PACKAGES}", invalidation_mode=mode)
