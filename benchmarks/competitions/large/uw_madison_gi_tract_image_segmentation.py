"""UW-Madison: a scan of 16 slices of n pixels each, the three organs being blots; real slices have some 70,000."""

from math import isqrt
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.large.shapes import blots, down_columns, moved

CASE_UNIT, CASE_FIRST, CASE_MOST = "pixels a slice", 1_000, 1_000_000
ORGANS = ("large_bowel", "small_bowel", "stomach")
SLICES = 16


def make_case(private: Path, submission: Path, rng: np.random.Generator, n: int) -> None:
    side = isqrt(n)
    rows = []
    for number in range(1, SLICES + 1):
        for organ in ORGANS:
            mask = blots(rng, side, side, 4)
            name = f"case1_day1_slice_{number:04d}"
            rows.append((name, organ, down_columns(mask), down_columns(moved(mask))))
    table = pd.DataFrame(rows, columns=["id", "class", "predicted", "said"])
    truth = table.drop(columns="said").assign(image_width=float(side), image_height=float(side))
    truth.to_csv(private / "test.csv", index=False)
    table[["id", "class"]].assign(predicted=table["said"]).to_csv(submission, index=False)
