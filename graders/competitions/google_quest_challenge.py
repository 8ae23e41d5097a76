"""Google QUEST: the mean over thirty ratings of Spearman's rank correlation.

v1 sorts rows by id and does not look at the ids; a constant or incomplete column has no correlation, and then there is
no score. A column of words ranks by their letters. v2 wants the right ids and numbers, and a constant column counts 0.
"""

import numpy as np

from graders.metrics import spearman_score
from graders.toolkit import (
    Column,
    Entry,
    InvalidSubmission,
    Reason,
    line_up,
    must_be_numbers,
    must_have,
    must_not_be_missing,
    pair,
)

ID = "qa_id"


def score(entry: Entry) -> float:
    targets = entry.classes
    must_have(entry.submission, ID, *targets, exactly=True)
    if entry.version == "v2":
        predicted, truth = pair(entry.submission, entry.answers, on=ID)
        must_be_numbers(predicted[targets], strict=True)
        must_not_be_missing(predicted[targets])
        return float(np.mean([np.nan_to_num(spearman_score(truth[c], predicted[c])) for c in targets]))

    predicted, truth = line_up(entry.submission, entry.answers, by=ID)
    if not np.array_equal(predicted[ID].to_numpy(), truth[ID].to_numpy()):
        entry.warn("Ids are not those of the sample: v1 takes the rows in the order of whatever ids they have.")
    return float(np.mean([_correlation(truth[target], predicted[target]) for target in targets]))


def _correlation(truth: Column, predicted: Column) -> float:
    if predicted.isna().any():
        return float("nan")
    if predicted.dtype == object and len({isinstance(value, str) for value in predicted}) > 1:
        raise InvalidSubmission(
            Reason.NOT_TEXT, f"Column {predicted.name!r} mixes numbers and words.", hint="write plain numbers"
        )
    return spearman_score(truth, predicted)
