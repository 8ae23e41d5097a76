"""Detecting Insults: the probability of an insult, scored by the area under the ROC curve.

v1 has no ids: the comment is the key, and of comments that stand twice each side's rows count in the order in which
pandas' unstable sort leaves them. v2 matches rows by the number `Id`.
"""

import numpy as np

from graders.metrics import roc_auc_score
from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Reason,
    line_up,
    must_be_numbers,
    must_be_within,
    must_have,
    pair_probabilities,
)


def score(entry: Entry) -> float:
    if entry.version == "v2":
        predicted, truth = pair_probabilities(entry, "Insult", on="Id")
        return roc_auc_score(truth, predicted)

    must_have(entry.submission, "Comment", "Insult")
    rows, answers = line_up(entry.submission, entry.answers, by="Comment")
    differ = np.asarray(rows["Comment"].to_numpy() != answers["Comment"].to_numpy())
    if differ.any():
        raise InvalidSubmission(
            Reason.UNKNOWN_IDS,
            "The comments are not those of test.csv, each as often as there.",
            hint="copy the column Comment from the sample submission as it is, quotes and backslashes included",
        )
    must_be_numbers(rows["Insult"], strict=True)
    must_be_within(rows["Insult"], 0, 1)
    return roc_auc_score(answers["Insult"], rows["Insult"])
