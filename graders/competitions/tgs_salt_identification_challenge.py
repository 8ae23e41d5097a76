"""TGS Salt Identification Challenge: the mean precision of masks over ten IoU thresholds.

v1 takes an empty prediction for a full one where the picture has salt, accepts odd counts of numbers and runs beyond
the picture. v2 gives such an empty prediction 0 and rejects the other two.
"""

import numpy as np

from graders.toolkit import Entry, Floats, Masks, must_be_masks, must_have, pair

PIXELS = 101 * 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)  # not quite 0.6, 0.65 …: an IoU of exactly 0.6 is not above the third


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "rle_mask", exactly=True)
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    strict = entry.version == "v2"
    masks = must_be_masks(predicted["rle_mask"], PIXELS, strict=strict)
    salt = must_be_masks(truth["rle_mask"], PIXELS, strict=strict)
    ious, is_blind = _ious(salt, masks), (masks.areas == 0) & (salt.areas > 0)
    if not strict:
        ious = np.where(is_blind, salt.areas / PIXELS, ious)
    precisions = (ious[:, None] > THRESHOLDS).mean(axis=1)
    if (is_blind & (precisions > 0)).any():
        entry.warn("Empty masks hit pictures full of salt: v1 takes an empty prediction for a full one there.")
    return float(np.mean(precisions))


def _ious(true: Masks, predicted: Masks) -> Floats:
    """The overlap of each pair of masks by what either covers; 1 where neither covers anything."""
    both = true.overlaps(predicted)
    either = true.areas + predicted.areas - both
    return np.where(either, both / np.maximum(either, 1), 1.0)
