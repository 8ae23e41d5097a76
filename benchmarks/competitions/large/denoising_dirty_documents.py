"""Denoising: n pages of 258 x 540 pixels, as half of the real ones have."""

from pathlib import Path

import numpy as np

from benchmarks.competitions import kitdata

RAW_UNIT, RAW_FIRST = "pages", 5
SHAPE = (258, 540)


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    files = kitdata.module("denoising-dirty-documents")
    dirty, clean = {}, {}
    for number in range(1, n + 1):
        page = np.where(rng.random(SHAPE) < 0.2, rng.integers(0, 256, SHAPE), 255).astype(np.uint8)
        clean[f"train_cleaned/{number}.png"] = files.png(page)
        dirty[f"train/{number}.png"] = files.png(page // 2)
    files.write_zip(raw / "train.zip", dirty)
    files.write_zip(raw / "train_cleaned.zip", clean)
