"""Contrails: n records of 256 x 256 pixels with a few blots each."""

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.large.shapes import blots, down_columns, moved

CASE_UNIT, CASE_FIRST, CASE_MOST = "records", 25, 20_000
SIDE = 256
DIFFERENT = 50


def make_case(private: Path, submission: Path, rng: np.random.Generator, n: int) -> None:
    masks = [blots(rng, SIDE, SIDE, 3) for _ in range(DIFFERENT)]
    true, said = ([down_columns(change(mask)) for mask in masks] for change in (lambda mask: mask, moved))
    ids = np.arange(n) + 10**17
    which = rng.integers(DIFFERENT, size=n)
    truth = {"record_id": ids, "encoded_pixels": [true[k] for k in which], "height": SIDE, "width": SIDE}
    pd.DataFrame(truth).to_csv(private / "answers.csv", index=False)
    pd.DataFrame({"record_id": ids, "encoded_pixels": [said[k] for k in which]}).to_csv(submission, index=False)
