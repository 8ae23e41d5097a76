"""HuBMAP Kidney: the mean Dice coefficient of masks.

v1 accepts odd counts of numbers and runs beyond the picture, and can't grade an answer that is missing. v2 rejects the
first two and takes a missing answer for an empty mask.
"""

import numpy as np

from graders.metrics import dice_score
from graders.toolkit import Entry, decode_runs, must_be_masks, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "predicted")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    strict = entry.version == "v2"
    pixels = (truth["width_pixels"] * truth["height_pixels"]).tolist()
    masks = must_be_masks(predicted["predicted"], pixels, strict=strict)
    codes = truth["encoding"].fillna("") if strict else truth["encoding"]
    objects = [decode_runs(code, size, strict=strict) for code, size in zip(codes, pixels, strict=True)]
    pairs = zip(objects, masks, strict=True)
    return float(np.mean([dice_score(t.area, p.area, t.overlap(p), both_empty=1.0) for t, p in pairs]))
