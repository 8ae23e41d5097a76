"""The two layers that take minutes, kept in the cache: Debian with Python, and the project's dependencies."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import CACHE, CHECKOUT
from tests.cluster.rig.oci import Blob

RELEASE, PYTHON = "bookworm", "3.11"  # a Debian release and the Python it has
PACKAGES = f"usr/local/lib/python{PYTHON}/dist-packages"  # where that Python looks without being told
LAYERS = CACHE / "layers"
USER = "agent:x:1000:1000::/home:/bin/bash\n"
LEFT_OUT = (
    "dev/",
    "proc/",
    "sys/",
    "usr/share/doc/",
    "usr/share/man/",
    "usr/share/locale/",
    "var/cache/",
    "var/lib/apt/",
)


def base() -> Blob:
    """Debian's smallest, with Python and a user 1000."""
    return kept(f"base-{RELEASE}-{short_hash(USER, *LEFT_OUT)}", make_base)


def dependencies() -> Blob:
    """What pyproject.toml asks for, at the versions of constraints.txt."""
    wanted = "\n".join(tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["dependencies"])
    constraints = CHECKOUT / "constraints.txt"
    name = f"dependencies-{PYTHON}-{short_hash(wanted, constraints.read_text())}"
    return kept(name, lambda folder: install(wanted, constraints, folder / PACKAGES))


def kept(name: str, make: Callable[[Path], None]) -> Blob:
    """The layer of that name: from the cache, or made in a folder and packed."""
    layer, note = LAYERS / f"{name}.tar", LAYERS / f"{name}.json"
    if note.exists():
        return Blob(layer, json.loads(note.read_text())["digest"])
    LAYERS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=LAYERS, prefix=f"{name}.") as scratch:
        root, packed = Path(scratch) / "root", Path(scratch) / "layer.tar"
        root.mkdir(mode=0o755)
        make(root)
        pack(root, packed)
        digest = Blob.of(packed).digest
        packed.rename(layer)
    note.write_text(json.dumps({"digest": digest}))  # last: without it the layer is not there
    return Blob(layer, digest)


def make_base(root: Path) -> None:
    if os.geteuid():
        raise RigError("The images' Debian is made by debootstrap, which needs root. Try again as root.")
    run("debootstrap", "--variant=minbase", "--include=python3", RELEASE, str(root))
    with (root / "etc/passwd").open("a") as users:
        users.write(USER)
    for folder in LEFT_OUT:
        shutil.rmtree(root / folder)
        (root / folder).mkdir()


def install(wanted: str, constraints: Path, folder: Path) -> None:
    """Wheels for the images' Python, whatever the version of the one that runs this."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write(wanted)
        requirements.flush()
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
        place = [f"--python-version={PYTHON}", f"--target={folder}"]
        run(*pip, *place, f"--constraint={constraints}", f"--requirement={requirements.name}")


def pack(root: Path, into: Path) -> None:
    """Dates stay, because compiled Python is believed by its source's date; owners by number."""
    with tarfile.open(into, "w", format=tarfile.GNU_FORMAT) as tar:
        for child in sorted(root.iterdir()):
            tar.add(child, child.name, filter=without_names)


def without_names(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uname = entry.gname = ""
    return entry


def short_hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def run(*argv: str) -> None:
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RigError(f"{argv[0]} failed: {done.stdout.strip()[-1000:]}")
