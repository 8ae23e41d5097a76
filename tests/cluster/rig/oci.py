"""Container images, written with the standard library: no registry and no engine is involved.

An image is a list of layers (tar files, the lowest first) and a configuration. Images leave as one OCI archive in which
a shared layer, or one that the reader has already, is left out.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

TYPES = "application/vnd.oci.image"


@dataclass(frozen=True)
class Blob:
    """Bytes, here or in a file, by their digest."""

    content: bytes | Path
    digest: str

    @classmethod
    def of(cls, content: bytes | Path) -> "Blob":
        if isinstance(content, bytes):
            return cls(content, f"sha256:{hashlib.sha256(content).hexdigest()}")
        with content.open("rb") as file:
            return cls(content, f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}")

    @classmethod
    def json(cls, value: object) -> "Blob":
        return cls.of(json.dumps(value).encode())

    @property
    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    def describe(self, kind: str) -> dict[str, Any]:
        return {"mediaType": f"{TYPES}.{kind}", "digest": self.digest, "size": self.size}


@dataclass(frozen=True)
class Image:
    """A name in full (docker.io/rig/base:1), layers and what to run."""

    name: str
    layers: Sequence[Blob]
    settings: Mapping[str, Any]

    @cached_property
    def config(self) -> Blob:
        layers = {"type": "layers", "diff_ids": [layer.digest for layer in self.layers]}
        return Blob.json({"architecture": "amd64", "os": "linux", "config": self.settings, "rootfs": layers})

    @cached_property
    def manifest(self) -> Blob:
        return Blob.json(
            {
                "schemaVersion": 2,
                "mediaType": f"{TYPES}.manifest.v1+json",
                "config": self.config.describe("config.v1+json"),
                "layers": [layer.describe("layer.v1.tar") for layer in self.layers],
            }
        )

    @property
    def blobs(self) -> list[Blob]:
        return [*self.layers, self.config, self.manifest]


def write(stream: IO[bytes], images: Iterable[Image], known: Collection[str] = ()) -> None:
    """One archive of all these images, without the blobs that the reader knows."""
    images = list(images)
    named = [
        {**image.manifest.describe("manifest.v1+json"), "annotations": {"io.containerd.image.name": image.name}}
        for image in images
    ]
    blobs = {blob.digest: blob for image in images for blob in image.blobs if blob.digest not in known}
    with tarfile.open(fileobj=stream, mode="w|") as tar:
        add(tar, "oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())
        for digest, blob in blobs.items():
            add(tar, f"blobs/{digest.replace(':', '/')}", blob.content)
        add(tar, "index.json", json.dumps({"schemaVersion": 2, "manifests": named}).encode())


def small_layer(
    files: Mapping[str, bytes | Path], links: Mapping[str, str] | None = None, folders: Mapping[str, int] | None = None
) -> Blob:
    """A layer made in memory. Always the same bytes for the same contents: root's, dated 1970, programs executable."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for folder, mode in (folders or {}).items():
            tar.addfile(entry(folder, tarfile.DIRTYPE, mode))
        for name in sorted(files):
            add(tar, name, files[name], 0o755)
        for link, target in sorted((links or {}).items()):
            symlink = entry(link, tarfile.SYMTYPE, 0o777)
            symlink.linkname = target
            tar.addfile(symlink)
    return Blob.of(layer.getvalue())


def entry(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.mode = kind, mode
    return made


def add(tar: tarfile.TarFile, name: str, content: bytes | Path, mode: int = 0o644) -> None:
    made = entry(name, mode=mode)
    if isinstance(content, bytes):
        made.size = len(content)
        tar.addfile(made, io.BytesIO(content))
    else:
        made.size = content.stat().st_size
        with content.open("rb") as file:
            tar.addfile(made, file)
