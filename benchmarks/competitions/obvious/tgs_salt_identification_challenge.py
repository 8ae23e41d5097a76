"""TGS: both masks of each picture, their IoU, and the share of thresholds that it exceeds."""

from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious.reading import flat_mask, sorted_pair

PIXELS = 101 * 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    scores = []
    for said, true in zip(predicted["rle_mask"], truth["rle_mask"], strict=True):
        p, t = flat_mask(said, PIXELS), flat_mask(true, PIXELS)
        if not t.any():
            scores.append(float(not p.any()))
            continue
        iou = (p & t).sum() / (p | t).sum() if p.any() else t.sum() / PIXELS
        scores.append(float(np.mean([iou > threshold for threshold in THRESHOLDS])))
    return float(np.mean(scores))
