"""HuBMAP: three pictures of n pixels each with some thirty blots; the real ones have up to 10^9 pixels."""

from math import isqrt
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.large.shapes import blots, down_columns, moved

CASE_UNIT, CASE_FIRST, CASE_MOST = "pixels a picture", 200_000, 60_000_000


def make_case(private: Path, submission: Path, rng: np.random.Generator, n: int) -> None:
    side = isqrt(n)
    masks = [blots(rng, side, side, 30) for _ in range(3)]
    ids = [f"{number:09x}" for number in range(0xA00000000, 0xA00000003)]
    truth = {"id": ids, "encoding": [down_columns(mask) for mask in masks], "width_pixels": side, "height_pixels": side}
    pd.DataFrame(truth).to_csv(private / "test.csv", index=False)
    predicted = [down_columns(moved(mask)) for mask in masks]
    pd.DataFrame({"id": ids, "predicted": predicted}).to_csv(submission, index=False)
