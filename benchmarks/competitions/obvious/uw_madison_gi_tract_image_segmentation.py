"""UW-Madison: whole masks for Dice, whole volumes and scipy's directed Hausdorff distance for the rest;
cases split at random, and later days of the others held back."""

import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import directed_hausdorff

from benchmarks.competitions.obvious import splitting
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


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    parts = table["id"].str.split("_")
    cases, days, slices = parts.str[0], parts.str[1], parts.str[-1]
    train_cases, test_cases = splitting.split(cases.unique(), seed=42)
    splitting.copy_folders(train_cases, raw / "train", public / "train")
    splitting.copy_folders(test_cases, raw / "train", public / "test")
    is_test = cases.isin(test_cases)
    for case in train_cases:
        for day in sorted(days[cases == case].unique(), key=lambda day: int(day.removeprefix("day")))[4:]:
            (public / "test" / case).mkdir(parents=True, exist_ok=True)
            shutil.move(public / "train" / case / f"{case}_{day}", public / "test" / case)
            is_test |= (cases == case) & (days == day)
    sizes = {}
    for scan in (public / "test").rglob("slice_*.png"):
        _, number, width, height, *_ = scan.name.split("_")
        sizes[scan.parent.parent.name, number] = float(width), float(height)
    test = table[is_test].rename(columns={"segmentation": "predicted"})
    places = zip(cases[is_test] + "_" + days[is_test], slices[is_test], strict=True)
    splitting.write(public / "train.csv", table[~is_test])
    splitting.write(public / "sample_submission.csv", test.assign(predicted="1 1 5 2"))
    splitting.write(public / "test.csv", test[["id", "class"]])
    test[["image_width", "image_height"]] = [sizes[place] for place in places]
    splitting.write(private / "test.csv", test)
