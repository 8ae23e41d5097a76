"""UW-Madison GI Tract: 0.4 × the mean Dice of masks + 0.6 × (1 - the mean 3-D Hausdorff distance of whole scans).

v1 takes rows by position, so that the last ones may be left out and ids may be invented; lays pixels out down the
columns, though the masks are numbered along the rows; merges the three organs before it measures distance; accepts odd
counts of numbers and runs beyond the picture. v2 wants every id and class once, lays pixels out along the rows,
measures each organ on its own, and rejects the last two.

Cases that v1's specification leaves open: an id must be text, as the day is a part of it, and one without `_slice_` is
a day of its own; a submission without rows has no score, as nothing is compared.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.metrics import dice_score, hausdorff_distance
from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Masks,
    Reason,
    Runs,
    must_be_masks,
    must_be_text,
    must_have,
    must_not_be_missing,
    pair,
)

Body = npt.NDArray[np.bool_]

TOO_MANY = 10
"""A prediction with more than so many times the true voxels is as far away as can be."""


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "class", "predicted")
    repaired = entry.version == "v2"
    predicted, truth = pair(entry.submission, entry.answers, on=["id", "class"]) if repaired else _by_position(entry)
    heights, widths = truth["image_height"].astype(int), truth["image_width"].astype(int)
    pixels = (heights * widths).tolist()
    masks = must_be_masks(predicted["predicted"], pixels, strict=repaired)
    organs = must_be_masks(truth["predicted"], pixels, strict=False)
    areas = zip(organs.areas.tolist(), masks.areas.tolist(), organs.overlaps(masks).tolist(), strict=False)
    overlaps = [dice_score(t, p, both, both_empty=0.0) for t, p, both in areas if t or p]

    sizes = list(zip(heights, widths, strict=True))
    said, true = (
        _scans(rows, sizes, side, along_rows=repaired, by_organ=repaired)
        for rows, side in ((predicted, masks), (truth, organs))
    )
    distances = [_distance(t.body(), p.body()) for t, p in zip(true, said, strict=False)]
    return 0.4 * _mean(overlaps) + 0.6 * (1 - _mean([d for d in distances if d is not None]))


def _by_position(entry: Entry) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v1: as many rows of the submission as there are answers, whatever they are called; there may be fewer."""
    submission, answers, key = entry.submission, entry.answers, ["id", "class"]
    if len(submission) != len(answers) or (submission[key].to_numpy() != answers[key].to_numpy()).any():
        entry.warn(
            "The rows are not those of the sample in its order: v1 takes them by position, and scores no others."
        )
    predicted = submission.iloc[: len(answers)]
    must_not_be_missing(predicted["id"])
    must_be_text(predicted["id"])
    return predicted, answers


@dataclass(frozen=True)
class Scan:
    """The masks of one day, slice by slice; several masks of a slice are merged."""

    slices: list[list[Runs]]
    height: int
    width: int
    along_rows: bool

    def body(self) -> Body:
        """The voxels that are set: (slices, height, width)."""
        flat = np.zeros((len(self.slices), self.height * self.width), dtype=np.bool_)
        for voxels, masks in zip(flat, self.slices, strict=True):
            for mask in masks:
                voxels[mask.pixels()] = True
        if self.along_rows:
            return flat.reshape(-1, self.height, self.width)
        return flat.reshape(-1, self.width, self.height).transpose(0, 2, 1)


def _scans(
    rows: pd.DataFrame, sizes: Sequence[tuple[int, int]], masks: Masks, *, along_rows: bool, by_organ: bool
) -> list[Scan]:
    """The scans in order of their slices' ids, compared as text."""
    ids, organs = rows["id"].tolist(), rows["class"].tolist()
    slices: dict[Hashable, dict[str, list[int]]] = {}
    for row in sorted(range(len(masks)), key=ids.__getitem__):
        day = ids[row].split("_slice_")[0]
        slices.setdefault((day, organs[row]) if by_organ else day, {}).setdefault(ids[row], []).append(row)

    scans = []
    for rows_of in slices.values():
        found = {sizes[row] for same in rows_of.values() for row in same}
        if len(found) > 1:
            raise InvalidSubmission(
                Reason.NOT_SCORABLE,
                "The pictures of one scan differ in size, because rows are taken by position.",
                hint="keep the rows in the order of the sample submission",
            )
        scans.append(Scan([[masks[row] for row in same] for same in rows_of.values()], *found.pop(), along_rows))
    return scans


def _distance(true: Body, predicted: Body) -> float | None:
    """How far two scans are apart, as a share of the longest way; None where neither has a voxel."""
    in_truth, in_predicted = int(true.sum()), int(predicted.sum())
    if not in_truth and not in_predicted:
        return None
    if np.array_equal(true, predicted):
        return 0.0
    if not in_truth or not in_predicted or in_predicted > TOO_MANY * in_truth:
        return 1.0
    shape = np.maximum(true.shape, predicted.shape)
    spacing = 1 / np.array(true.shape)
    return hausdorff_distance(_filled_up(true, shape), _filled_up(predicted, shape), spacing=spacing) / sqrt(3)


def _filled_up(body: Body, shape: npt.NDArray[np.intp]) -> Body:
    """The body in a larger frame."""
    return np.pad(body, [(0, int(more)) for more in shape - body.shape])


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
