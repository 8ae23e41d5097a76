"""Small writers for synthetic raw data. Their bytes do not depend on library versions."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from catalog import load


def tables(competition_id: str) -> Mapping[str, Any]:
    """The competition's constant tables, such as its list of classes."""
    return load(competition_id).data


def blob(rng: np.random.Generator, size: int = 64) -> bytes:
    """Stands for an image or sound that preparation only copies."""
    return rng.bytes(size)


def png(pixels: np.ndarray) -> bytes:
    """A real PNG, uncompressed, of a uint8 array: (h, w) grey, (h, w, 3) RGB."""
    pixels = np.ascontiguousarray(pixels, dtype=np.uint8)
    h, w = pixels.shape[:2]
    colour = 0 if pixels.ndim == 2 else 2
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(tag: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))

    head = struct.pack(">IIBBBBB", w, h, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def write(path: Path, data: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def write_zip(path: Path, members: dict[str, bytes | str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as z:
        for name, data in members.items():
            z.writestr(name, data)


def csv_text(rows: list[dict]) -> str:
    buf = io.StringIO()
    out = csv.DictWriter(buf, fieldnames=list(rows[0]), lineterminator="\n")
    out.writeheader()
    out.writerows(rows)
    return buf.getvalue()
