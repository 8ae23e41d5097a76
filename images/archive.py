"""An image as it would be pushed: an OCI archive, read layer by layer."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from images.errors import ImagesError

GONE, ALL_GONE = ".wh.", ".wh..wh..opq"  # how a layer says that a file, or all that a folder had, is no longer there


@dataclass(frozen=True)
class Archive:
    """The archive's only image."""

    tar: tarfile.TarFile
    digest: str
    manifest: dict[str, Any]
    config: dict[str, Any]

    def layers(self) -> Iterator[tarfile.TarFile]:
        """The layers, lowest first."""
        for layer in self.manifest["layers"]:
            with tarfile.open(fileobj=blob(self.tar, layer["digest"])) as opened:
                yield opened

    def files(self, wanted: Callable[[str], bool]) -> dict[str, bytes]:
        """What a container would find in the files whose path is wanted."""
        found: dict[str, bytes] = {}
        for layer in self.layers():
            for entry in layer:
                path = path_of(entry)
                folder, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
                if name == ALL_GONE:
                    found = without(found, folder)
                elif name.startswith(GONE):
                    found = without(found, str(PurePosixPath(folder) / name.removeprefix(GONE)))
                elif entry.isfile() and wanted(path):
                    found[path] = content(layer, entry)
        return found


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The image in an archive that docker or buildah has written."""
    with tarfile.open(path) as tar:
        try:
            index = json.load(member(tar, "index.json"))
        except KeyError:
            raise ImagesError(
                f"{path} is no OCI archive. Docker writes them since version 25: use a newer one."
            ) from None
        digest = index["manifests"][0]["digest"]
        manifest = json.load(blob(tar, digest))
        yield Archive(tar, digest, manifest, json.load(blob(tar, manifest["config"]["digest"])))


def path_of(entry: tarfile.TarInfo) -> str:
    return entry.name.removeprefix("./").strip("/")


def content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    return file.read() if file else b""


def blob(tar: tarfile.TarFile, digest: str) -> IO[bytes]:
    return member(tar, f"blobs/{digest.replace(':', '/')}")


def member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    """A file of the archive; KeyError if there is none."""
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file


def without(files: dict[str, bytes], gone: str) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if path != gone and not path.startswith(f"{gone}/")}
