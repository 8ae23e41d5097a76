"""Vesuvius Ink Detection: F0.5 of the pixels with ink, in the one row of the test fragment.

v1 rejects a blank cell, takes three numbers for two runs of one length, and accepts runs beyond the picture. v2 reads
the cell as text, a blank one as the empty mask, and rejects the other two.
"""

from graders.metrics import f_beta_score
from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Reason,
    decode_runs,
    must_be_masks,
    must_have,
    must_not_be_missing,
    pair,
)


def score(entry: Entry) -> float:
    repaired = entry.version == "v2"
    submission, answers = entry.with_text("Predicted") if repaired else (entry.submission, entry.answers)
    must_have(submission, "Id", "Predicted", exactly=True)
    predicted, truth = pair(submission, answers, on="Id")
    must_not_be_missing(predicted["Predicted"])
    [pixels] = truth["width"] * truth["height"]
    [mask] = must_be_masks(predicted["Predicted"], [pixels], strict=repaired)
    [code] = predicted["Predicted"]
    if len(code.split(maxsplit=1)) == 1:  # only as a lone number that pandas does not read as one, such as 1_0
        raise InvalidSubmission(Reason.MALFORMED, "A mask needs a start and a length for each run.")
    ink = decode_runs(truth["Predicted"].item(), pixels, strict=True)
    return f_beta_score(ink.area, mask.area, ink.overlap(mask), beta=0.5)
