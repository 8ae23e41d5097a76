"""Identify Contrails: the Dice coefficient of all predicted and all true pixels of the test set together.

v1 accepts odd counts of numbers and runs beyond the picture; v2 rejects both. Areas are summed record by record, so
that pictures need not be of one size, as they are.
"""

from graders.metrics import dice_score
from graders.toolkit import Column, Entry, InvalidSubmission, Masks, Reason, must_be_masks, must_have, pair

NO_CONTRAIL = "-"


def score(entry: Entry) -> float:
    must_have(entry.submission, "record_id", "encoded_pixels")
    predicted, truth = pair(entry.submission, entry.answers, on="record_id")
    pixels = (truth["height"] * truth["width"]).tolist()
    masks = _masks(predicted["encoded_pixels"], pixels, strict=entry.version == "v2")
    contrails = _masks(truth["encoded_pixels"], pixels, strict=True)

    both = int(contrails.overlaps(masks).sum())
    return dice_score(contrails.runs.area, masks.runs.area, both, both_empty=float("nan"))


def _masks(column: Column, pixels: list[int], *, strict: bool) -> Masks:
    empty = column.isna()
    if empty.any():
        raise InvalidSubmission(
            Reason.MISSING_VALUES,
            f"{empty.sum():,} of {len(column):,} rows of column 'encoded_pixels' are empty.",
            hint=f"write {NO_CONTRAIL!r} where there is no contrail",
        )
    return must_be_masks(column.where(column != NO_CONTRAIL, ""), pixels, strict=strict)
