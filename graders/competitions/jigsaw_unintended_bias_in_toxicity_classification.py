"""Jigsaw Unintended Bias: areas under the ROC curve overall and around nine identities, averaged.

v1 cuts predictions to 0 or 1 at 0.5 before it takes the areas, and takes missing ones for 0. v2 ranks by the
predictions as they are, which must be finite. Truth and identities are cut in both; a row without identity labels is
background. The predictions' column may be called `toxicity`, as in the answers.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.metrics import roc_auc_score
from graders.toolkit import (
    Column,
    Entry,
    Floats,
    InvalidSubmission,
    Reason,
    must_be_finite,
    must_have,
    must_not_hold_text,
    numbers,
    pair,
)

IDENTITIES = [
    "male",
    "female",
    "homosexual_gay_or_lesbian",
    "christian",
    "jewish",
    "muslim",
    "black",
    "white",
    "psychiatric_or_mental_illness",
]
CUT = 0.5
POWER = -5


def score(entry: Entry) -> float:
    target = _target(entry.submission)
    must_have(entry.submission, "id", target)
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    scores, toxic = _scores(entry, predicted[target]), _is_above_cut(truth["toxicity"])

    areas = [_bias_areas(toxic, scores, _is_above_cut(truth[identity])) for identity in IDENTITIES]
    parts = [roc_auc_score(toxic, scores), *(_power_mean(kind) for kind in np.transpose(areas))]
    return float(np.mean(parts))


def _target(submission: pd.DataFrame) -> str:
    if {"prediction", "toxicity"} <= set(submission.columns):
        raise InvalidSubmission(
            Reason.UNEXPECTED_COLUMNS,
            "There are two columns of predictions, 'prediction' and 'toxicity'.",
            hint="keep 'prediction' and leave the other out",
        )
    return "toxicity" if "toxicity" in submission.columns else "prediction"


def _scores(entry: Entry, column: Column) -> Floats:
    must_not_hold_text(column)
    if entry.version == "v2":
        must_be_finite(column)
        return numbers(column)
    return _is_above_cut(column).astype(np.float64)


def _is_above_cut(column: Column) -> npt.NDArray[np.bool_]:
    """Whether values are at least 0.5; missing ones are not."""
    return numbers(column) >= CUT


def _bias_areas(toxic: npt.NDArray[np.bool_], scores: Floats, member: npt.NDArray[np.bool_]) -> list[float]:
    """The areas within the identity, and where only those without toxicity, or only the toxic ones, are of it."""
    parts = (member, toxic ^ member, toxic == member)
    return [roc_auc_score(toxic[part], scores[part]) for part in parts]


def _power_mean(areas: Floats) -> float:
    """The mean that stresses the worst; 0 where an area is 0."""
    with np.errstate(divide="ignore"):
        return float(np.mean(areas**POWER) ** (1 / POWER))
