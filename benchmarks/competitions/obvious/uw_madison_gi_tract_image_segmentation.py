"""UW-Madison: whole masks for Dice, whole volumes and scipy's directed Hausdorff distance for the rest."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import directed_hausdorff

from benchmarks.competitions.obvious.reading import flat_mask, read

Mask = npt.NDArray[np.bool_]
Volume = npt.NDArray[np.bool_]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    sizes = list(zip(truth["image_height"].astype(int), truth["image_width"].astype(int), strict=True))
    said, true = (
        [flat_mask(code, h * w).reshape(w, h).T for code, (h, w) in zip(side["predicted"], sizes, strict=True)]
        for side in (predicted, truth)
    )
    dice = [2 * (p & t).sum() / (p.sum() + t.sum()) for p, t in zip(said, true, strict=True) if p.any() or t.any()]
    scans = zip(volumes(predicted["id"], said), volumes(truth["id"], true), strict=True)
    distances = [distance(p, t) for p, t in scans if p.any() or t.any()]
    return float(0.4 * np.mean(dice) + 0.6 * (1 - np.mean(distances)))


def volumes(ids: pd.Series, masks: list[Mask]) -> list[Volume]:
    days: dict[str, dict[str, Mask]] = {}
    for name, mask in sorted(zip(ids, masks, strict=True), key=lambda pair: pair[0]):
        slices = days.setdefault(name.split("_slice_")[0], {})
        slices[name] = slices[name] | mask if name in slices else mask
    return [np.stack(list(slices.values())) for slices in days.values()]


def distance(predicted: Volume, true: Volume) -> float:
    if np.array_equal(predicted, true):
        return 0.0
    if not predicted.any() or not true.any() or predicted.sum() > 10 * true.sum():
        return 1.0
    p, t = (np.argwhere(volume) / np.array(true.shape) for volume in (predicted, true))
    return float(max(directed_hausdorff(p, t)[0], directed_hausdorff(t, p)[0]) / np.sqrt(3))
