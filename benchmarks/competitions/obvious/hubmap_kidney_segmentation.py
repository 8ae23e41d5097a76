"""HuBMAP: whole pictures, and the mean of their Dice coefficients."""

from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious.reading import flat_mask, sorted_pair


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    scores = []
    for said, true, height, width in zip(
        predicted["predicted"], truth["encoding"], truth["height_pixels"], truth["width_pixels"], strict=True
    ):
        p, t = flat_mask(said, height * width), flat_mask(true, height * width)
        total = p.sum() + t.sum()
        scores.append(2 * (p & t).sum() / total if total else 1.0)
    return float(np.mean(scores))
