"""One image, built, looked through, and laid down beside its bill of materials."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from images import archive
from images.bill import bill
from images.engines import Build, Engine
from images.errors import ImagesError
from images.leaks import leaks


@dataclass(frozen=True)
class Made:
    """An image that may be used, and where it lies."""

    name: str
    archive: Path
    bill: Path


def make(
    image: str,
    builds: Iterable[Build],
    engine: Engine,
    output: Path,
    held: Mapping[str, bytes],
    allowed: Collection[str] = (),
) -> Made:
    """Build it step by step. An image with a secret in it is refused, and its archive removed."""
    output.mkdir(parents=True, exist_ok=True)
    name = ""
    for build in builds:
        engine.build(build)
        name = build.names[0]
    made = Made(name, output / f"{image}.tar", output / f"{image}.cdx.json")
    engine.save(name, made.archive)
    with archive.opened(made.archive) as opened:
        if found := sorted(set(leaks(opened, held, allowed))):
            made.archive.unlink()
            raise ImagesError(
                f"{name} holds what must not be in an image: {'; '.join(found[:10])}. "
                "Push it nowhere. (A file that is meant to be there: --allow NAME.)"
            )
        made.bill.write_text(json.dumps(bill(opened, image), indent=1) + "\n")
    return made
