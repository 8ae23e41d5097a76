"""The program that builds: docker where its daemon answers, else buildah."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from images.errors import ImagesError, NoEngine


@dataclass(frozen=True)
class Build:
    """One run of a Dockerfile."""

    dockerfile: Path
    context: Path
    names: Sequence[str]
    arguments: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    created: int = 0
    """Seconds since 1970: the date of the image, and of its files where the engine can."""
    pip_config: Path | None = None
    """A pip.conf that the build sees and no layer keeps."""
    fresh: bool = False
    """Take no step from an earlier build, which may have had another date."""

    def options(self) -> Iterable[str]:
        """What both engines understand alike."""
        yield f"--file={self.dockerfile}"
        for name in self.names:
            yield f"--tag={name}"
        for name, value in self.arguments.items():
            yield f"--build-arg={name}={value}"
        for name, value in self.labels.items():
            yield f"--label={name}={value}"
        if self.fresh:
            yield "--no-cache"
        if self.pip_config:
            yield f"--secret=id=pip,src={self.pip_config}"


class Engine(Protocol):
    """Builds images and hands them out as OCI archives."""

    def digest_of(self, reference: str) -> str: ...
    def build(self, build: Build) -> None: ...
    def save(self, name: str, archive: Path) -> None: ...


@dataclass(frozen=True)
class Docker:
    """Docker with BuildKit, which gives files the date only when it writes the archive itself, so here it does not."""

    program: Sequence[str] = ("docker",)

    def digest_of(self, reference: str) -> str:
        run([*self.program, "pull", "--quiet", reference])
        shown = ["image", "inspect", "--format", "{{index .RepoDigests 0}}", reference]
        return run([*self.program, *shown]).strip().rpartition("@")[2]

    def build(self, build: Build) -> None:
        dated = {"SOURCE_DATE_EPOCH": str(build.created), "DOCKER_BUILDKIT": "1"}
        argv = [*self.program, "build", "--provenance=false", *build.options(), str(build.context)]
        run(argv, dated, show=True)

    def save(self, name: str, archive: Path) -> None:
        run([*self.program, "save", f"--output={archive}", name])


@dataclass(frozen=True)
class Buildah:
    """Buildah: no daemon, and the same layers every time."""

    program: Sequence[str] = ("buildah",)
    more: Sequence[str] = ()
    """More options of its build."""

    def digest_of(self, reference: str) -> str:
        run([*self.program, "pull", "--quiet", "--policy=always", reference])
        shown = ["inspect", "--type=image", "--format={{.FromImageDigest}}", reference]
        return run([*self.program, *shown]).strip()

    def build(self, build: Build) -> None:
        same = ["--layers", "--identity-label=false", f"--timestamp={build.created}", *self.more]
        if (ignored := Path(f"{build.dockerfile}.dockerignore")).exists():  # docker finds it by itself
            same.append(f"--ignorefile={ignored}")
        run([*self.program, "build", *same, *build.options(), str(build.context)], show=True)

    def save(self, name: str, archive: Path) -> None:
        archive.unlink(missing_ok=True)  # else it would be added to
        quick = ["--compression-format=gzip", "--compression-level=1"]
        run([*self.program, "push", "--quiet", *quick, name, f"oci-archive:{archive}:{name}"])


def find() -> Engine:
    """The engine of this machine."""
    if shutil.which("docker") and succeeds(["docker", "info"]):
        return Docker()
    if shutil.which("buildah"):
        return Buildah()
    raise NoEngine("No engine to build with: start Docker's daemon, or install buildah (apt-get install buildah).")


def succeeds(argv: Sequence[str]) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def run(argv: Sequence[str], environment: Mapping[str, str] | None = None, *, show: bool = False) -> str:
    """What the command prints; with `show`, a person sees it as it comes."""
    done = subprocess.run(
        argv,
        env={**os.environ, **(environment or {})},
        stdout=None if show else subprocess.PIPE,
        stderr=None if show else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        said = f": {done.stderr.strip()[-1000:]}" if done.stderr else "; what it said is above"
        raise ImagesError(f"{' '.join(argv[:2])} failed with {done.returncode}{said}")
    return done.stdout or ""
