"""TGS Salt Identification Challenge: the mean precision of masks over ten IoU thresholds.

v1 takes an empty prediction for a full one where the picture has salt, accepts odd counts of numbers and runs beyond
the picture. v2 gives such an empty prediction 0 and rejects the other two.
"""

from itertools import repeat

import numpy as np

from graders.metrics import iou_score
from graders.toolkit import Entry, Runs, must_be_masks, must_have, pair

PIXELS = 101 * 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)  # not quite 0.6, 0.65 …: an IoU of exactly 0.6 is not above the third


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "rle_mask", exactly=True)
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    strict = entry.version == "v2"
    masks = must_be_masks(predicted["rle_mask"], repeat(PIXELS), strict=strict)
    salt = must_be_masks(truth["rle_mask"], repeat(PIXELS), strict=strict)
    precisions = [_precision(t, p, empty_is_full=not strict) for t, p in zip(salt, masks, strict=True)]
    if any(not p.area and t.area and found for t, p, found in zip(salt, masks, precisions, strict=True)):
        entry.warn("Empty masks hit pictures full of salt: v1 takes an empty prediction for a full one there.")
    return float(np.mean(precisions))


def _precision(true: Runs, predicted: Runs, *, empty_is_full: bool) -> float:
    """The share of the thresholds that the overlap exceeds."""
    if not true.area:
        return float(not predicted.area)
    if not predicted.area and empty_is_full:
        iou = true.area / PIXELS
    else:
        iou = iou_score(true.area, predicted.area, true.overlap(predicted))
    return float(np.mean(iou > THRESHOLDS))
