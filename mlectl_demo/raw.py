"""Raw files of the demo competitions: rows in an order that tells nothing, with ids, as plain CSV or PNG."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd


def shuffled(frame: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """The rows in a fixed random order, with ids such as `wine_017` in front that follow it."""
    rows = frame.iloc[np.random.RandomState(0).permutation(len(frame))]
    width = len(str(len(rows) - 1))
    return rows.assign(id=[f"{prefix}_{k:0{width}d}" for k in range(len(rows))])[["id", *frame.columns]]


def write_csv(raw: Path, name: str, frame: pd.DataFrame) -> None:
    """Write a raw table."""
    raw.mkdir(parents=True, exist_ok=True)
    frame.to_csv(raw / name, index=False, lineterminator="\n")


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A grey picture as PNG. It is stored and not compressed, so its bytes are the same with every library."""
    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(tag: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))
