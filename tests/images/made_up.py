"""Small OCI archives, written by the rig's own writer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from images import archive
from images.archive import Archive
from tests.cluster.rig import oci
from tests.cluster.rig.oci import Blob, Image

CREATED = "2026-01-02T03:04:05Z"


class DatedImage(Image):
    """An image with a date, as engines make them."""

    @cached_property
    def config(self) -> Blob:
        plain = super().config.content
        assert isinstance(plain, bytes)
        return Blob.json({**json.loads(plain), "created": CREATED, "history": []})


def image(folder: Path, *layers: Mapping[str, bytes], **settings: object) -> AbstractContextManager[Archive]:
    """An image with these files layer by layer, opened."""
    path = folder / "image.tar"
    write(path, *layers, **settings)
    return archive.opened(path)


def write(path: Path, *layers: Mapping[str, bytes], **settings: object) -> None:
    made = DatedImage("docker.io/made/up:1", [oci.small_layer(files) for files in layers], settings)
    with path.open("wb") as file:
        oci.write(file, [made])
