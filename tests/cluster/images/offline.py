"""What a build of the project's own Dockerfiles needs where no registry is: a base, wheels, and buildah told of both.

The base stands in for python:slim: Debian with its Python, and pip beside it. All that the builds differ in from those
of `make images` is where bases and packages come from.
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path

from images.engines import Buildah
from tests.cluster.images import registry, slow
from tests.cluster.rig.layout import CACHE, CHECKOUT
from tests.cluster.rig.oci import Blob, Image, small_layer

BASE = "debian/python:bookworm"
PIP_COMMAND = b"#!/usr/bin/python3\nimport sys\n\nfrom pip._internal.cli.main import main\n\nsys.exit(main())\n"
REGISTRIES = "registries.conf"
STORAGE = CACHE / "buildah" / "root"
"""Kept, as the layers are: a Debian package or a wheel is installed once."""


class BuildableImage(Image):
    """An image that says how its layers came about, as buildah wants of a base."""

    @cached_property
    def config(self) -> Blob:
        plain = super().config.content
        assert isinstance(plain, bytes)
        return Blob.json({**json.loads(plain), "history": [{"created_by": "debootstrap"} for _ in self.layers]})


def base() -> Image:
    """Debian with Python and the pip of this virtualenv."""
    settings = {"Cmd": ["python3"], "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
    return BuildableImage(f"docker.io/{BASE}", [slow.base(), pip()], settings)


def pip() -> Blob:
    known = distribution("pip")
    root = Path(str(known.locate_file("")))
    found = [path for part in ("pip", f"pip-{known.version}.dist-info") for path in (root / part).rglob("*")]
    files = [path for path in found if path.is_file() and path.suffix != ".pyc"]
    return small_layer(
        {f"{slow.PACKAGES}/{path.relative_to(root)}": path for path in files} | {"usr/local/bin/pip": PIP_COMMAND}
    )


def wheels() -> Path:
    """A folder with every wheel that the builds ask for, fetched once."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    needs = {
        CHECKOUT / "constraints.txt": [*project["project"]["dependencies"], *project["build-system"]["requires"]],
        CHECKOUT / "images/agent-base/constraints.txt": [
            "pip",
            "setuptools",
            "wheel",
            *lines(CHECKOUT / "images/agent-base/light.txt"),
        ],
    }
    texts = [text for constraints, wanted in needs.items() for text in (constraints.read_text(), *wanted)]
    folder = CACHE / f"wheels-{slow.PYTHON}-{slow.short_hash(*texts)}"
    if not (folder / "complete").exists():
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", f"--dest={folder}"]
        for constraints, wanted in needs.items():
            slow.run(*fetch, f"--python-version={slow.PYTHON}", f"--constraint={constraints}", *wanted)
        (folder / "complete").touch()
    return folder


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


@contextmanager
def engine(scratch: Path) -> Iterator[tuple[Buildah, str, Path]]:
    """Buildah; the base's tag in a registry; a pip.conf that knows the wheels alone."""
    config = scratch / "pip.conf"
    config.write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    with registry.serving(base()) as address:
        (scratch / REGISTRIES).write_text(f'[[registry]]\nlocation = "{address}"\ninsecure = true\n')
        yield Buildah(buildah(scratch, STORAGE), [f"--volume={wheels()}:/wheels:ro"]), f"{address}/{BASE}", config


def buildah(scratch: Path, storage: Path) -> list[str]:
    """Buildah with a storage of ours, that trusts our registry."""
    places = [f"--root={storage}", f"--runroot={scratch}/run", "--storage-driver=overlay"]
    return ["env", f"CONTAINERS_REGISTRIES_CONF={scratch / REGISTRIES}", "buildah", *places]
