"""SIIM COVID-19: mean average precision of boxes at IoU > 0.5, over the classes of studies and of pictures.

v1 takes scikit-learn's average precision of pairs (is true, confidence), in which missed boxes and rows that are
rightly empty have the confidence 0. v2 takes that of PASCAL VOC 2010: only predictions are ranked, missed boxes count
in the recall, and precision is made non-increasing. Of equal confidences v2 ranks the misses first, so that the order
of rows does not matter; it takes the header `Id`, too.
"""

import numpy as np
import pandas as pd

from graders.metrics import average_precision_score
from graders.metrics.detection import corner_iou_scores, envelope_precision_scores, match_by_overlap
from graders.toolkit import (
    Entry,
    Floats,
    Form,
    InvalidSubmission,
    Reason,
    must_be_groups,
    must_have,
    must_not_be_missing,
    pair,
)

FORM = Form(size=6, name=0, single_blanks=False)
CORNERS = ["x_min", "y_min", "x_max", "y_max"]
LEAST_IOU = 0.5


def score(entry: Entry) -> float:
    submission = entry.submission
    if entry.version == "v2" and "id" not in submission.columns:
        submission = submission.rename(columns={"Id": "id"})
    must_have(submission, "id", "PredictionString")
    predicted, truth = pair(submission, entry.answers, on="id")
    must_not_be_missing(predicted["PredictionString"])
    kinds = sorted({kind for text in truth["PredictionString"] for kind in text.split()[:: FORM.size]})
    boxes, answers = _read(predicted, kinds), _read(truth, kinds)

    boxes = boxes.sort_values(["code", "confidence"], ascending=[True, False], kind="stable", ignore_index=True)
    matches = _match(boxes, answers)
    boxes["hit"], answers["found"] = boxes.index.isin(matches.keys()), answers.index.isin(matches.values())
    if entry.version == "v2":
        return float(_voc_precision(boxes, answers).mean())
    if (boxes["confidence"] < 0).any():
        entry.warn("Boxes have negative confidences: v1 ranks true boxes that were missed, at 0, before them, as hits.")
    return float(np.mean([_precision_with_empty_rows(boxes, answers, k, len(truth)) for k in range(len(kinds))]))


def _read(rows: pd.DataFrame, kinds: list[str]) -> pd.DataFrame:
    """The boxes of known classes. Those of one row and class share a code."""
    form = "'class confidence xmin ymin xmax ymax …'"
    groups = must_be_groups(rows["PredictionString"], FORM, known=kinds, expected=form)
    unsure = (groups.names >= 0) & ~np.isfinite(groups.numbers[:, 0])
    groups.reject_where(unsure, Reason.NOT_FINITE, "have a confidence that is nan or infinite", hint="write numbers")
    boxes = pd.DataFrame(groups.numbers, columns=["confidence", *CORNERS])
    boxes = boxes.assign(row=groups.rows, kind=groups.names, code=groups.rows * len(kinds) + groups.names)
    return boxes[boxes["kind"] >= 0].reset_index(drop=True)


def _match(boxes: pd.DataFrame, answers: pd.DataFrame) -> dict[int, int]:
    corners, true_corners = boxes[CORNERS].to_numpy(), answers[CORNERS].to_numpy()
    return match_by_overlap(
        boxes["code"].to_numpy(),
        answers["code"].to_numpy(),
        lambda left, right: corner_iou_scores(corners[left], true_corners[right]),
        lambda iou: iou > LEAST_IOU,
    )


def _precision_with_empty_rows(boxes: pd.DataFrame, answers: pd.DataFrame, kind: int, rows: int) -> float:
    """v1: boxes with their confidence, and with confidence 0 the missed true boxes and the rows without either."""
    said, true = boxes[boxes["kind"] == kind], answers[answers["kind"] == kind]
    missed = int((~true["found"]).sum())
    empty = rows - len(np.union1d(said["row"], true["row"]))
    if said["hit"].all() and not empty:
        raise InvalidSubmission(
            Reason.NOT_SCORABLE,
            "Every row has the same class, and nothing but right boxes of it: there is no precision to average.",
        )
    is_true = np.concatenate([said["hit"], np.ones(missed), np.zeros(empty)])
    return average_precision_score(is_true, np.concatenate([said["confidence"], np.zeros(missed + empty)]))


def _voc_precision(boxes: pd.DataFrame, answers: pd.DataFrame) -> Floats:
    """v2: each class's area under the curve of precision and recall."""
    ranked = boxes.sort_values(["kind", "confidence", "hit"], ascending=[True, False, True])
    truths = np.bincount(answers["kind"])
    return envelope_precision_scores(ranked["hit"].to_numpy(), ranked["kind"].to_numpy(), truths)
