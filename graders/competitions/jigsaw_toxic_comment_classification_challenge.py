"""Toxic Comments: a score for each of six kinds, measured by the mean of their areas under the ROC curve.

Comments whose labels are all -1 are not scored. v1 drops them and then compares rows and columns by position, so that
columns in another order are scored as the wrong ones, and an id may stand twice in place of another, which shifts the
rows between the two. v2 goes by the names of columns and by ids, and wants probabilities.
"""

import numpy as np
import pandas as pd

from graders.metrics import mean_roc_auc_score
from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Reason,
    must_be_finite,
    must_have,
    must_have_rows,
    pair_probabilities,
    warn_of_other_ids,
)

KINDS = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]


def score(entry: Entry) -> float:
    if entry.version == "v1":
        predicted, truth = _by_position(entry)
    else:
        predicted, truth = pair_probabilities(entry, KINDS, on="id")
        scored = _is_scored(truth).to_numpy()
        predicted, truth = predicted[scored], truth[scored]
    return mean_roc_auc_score(truth, predicted)


def _is_scored(answers: pd.DataFrame) -> "pd.Series[bool]":
    return answers[KINDS].sum(axis=1) >= 0


def _by_position(entry: Entry) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v1: both sides in order of id, without the comments that are not scored."""
    must_have(entry.submission, "id", *KINDS, exactly=True)
    must_have_rows(entry.submission, len(entry.answers))
    if np.array_equal(entry.submission["id"], entry.answers["id"]):  # as the sample has them: in order, as they are
        scored = _is_scored(entry.answers).to_numpy()
        rows = entry.submission[scored].drop(columns="id")
        must_be_finite(rows)
        return rows, entry.answers[scored].drop(columns="id")
    answers = entry.answers.set_index("id").sort_index()
    scored = _is_scored(answers)
    known = entry.submission["id"].isin(scored.index)
    if not known.all():
        raise InvalidSubmission(
            Reason.UNKNOWN_IDS,
            f"{(~known).sum():,} of {len(known):,} ids are not in this competition.",
            hint="keep the ids exactly as the sample submission writes them",
        )
    rows = entry.submission.reset_index(names="row").set_index("id").sort_index()
    rows = rows[scored.reindex(rows.index).to_numpy()].set_index("row")
    if len(rows) != scored.sum():
        raise InvalidSubmission(
            Reason.REPEATED_IDS,
            f"{entry.submission['id'].duplicated().sum():,} rows repeat an id, and others are missing.",
            hint="hand in exactly one row for each row of the sample submission",
        )
    must_be_finite(rows)
    warn_of_other_ids(entry, entry.submission.loc[rows.index], answers[scored].reset_index(), on="id")
    return rows, answers[scored]
