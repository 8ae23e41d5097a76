"""VinBigData Chest X-ray: mean average precision of boxes at IoU 0.4, as the COCO code computes it.

What v1 does with that code, and v2 instead:
- The far corner is handed over as width and height. v2 compares boxes by their corners.
- A far corner that is `nan` finds nearly any answer. v2 rejects coordinates that are not finite.
- Answers and boxes are numbered from 0, which the code takes for "none": a box that finds answer 0 is a miss, and what
  box 0 finds stays free. v2 treats them like the others.
- A box of negative or huge area costs nothing where it misses; an answer of such area does not count, nor does the box
  that finds it. v2 has no such rule.
- An IoU of exactly 0.4 is a hit. v2 asks for more.
- A blank prediction is rejected. v2 takes it for no box.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.metrics import levels_precision_score
from graders.metrics.detection import corner_iou_scores, match_by_overlap
from graders.toolkit import (
    Column,
    Entry,
    Floats,
    Form,
    Reason,
    join,
    must_be_groups,
    must_have,
    must_not_be_missing,
)

CORNERS = ["x_min", "y_min", "x_max", "y_max"]
LEAST_IOU = 0.4
LARGEST_AREA = 1e10
MOST_BOXES = 100
"""For each picture and class, the most confident ones."""

HINT = "leave such boxes out"
FORM = {"v1": Form(size=6), "v2": Form(size=6, blank_is_none=True)}

Lines = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def score(entry: Entry) -> float:
    must_have(entry.submission, "image_id", "PredictionString")
    truth = entry.answers
    image, images = pd.factorize(truth["image_id"])
    kind, kinds = pd.factorize(truth["class_id"])
    truth = truth.assign(kind=kind, code=image * len(kinds) + kind)
    listed = pd.DataFrame({"image_id": images, "image": np.arange(len(images))})
    predicted, image_of = join(entry.submission, listed, on="image_id")

    boxes = _read_boxes(predicted["PredictionString"], entry)
    boxes["kind"] = pd.Index(kinds).get_indexer(np.trunc(boxes["class"]))
    boxes["code"] = image_of["image"].to_numpy()[boxes["row"]] * len(kinds) + boxes["kind"]
    boxes = boxes[boxes["kind"] >= 0]
    boxes = boxes.sort_values(["code", "confidence"], ascending=[True, False], kind="stable")
    boxes = boxes[boxes.groupby("code").cumcount() < MOST_BOXES].reset_index(drop=True)

    if entry.version == "v1":
        hits, counts, answers = _judge_as_published(boxes, truth, entry)
    else:
        hits, counts, answers = _find(boxes, truth, repaired=True) >= 0, np.ones(len(boxes), dtype=np.bool_), truth
    boxes = boxes.assign(hit=hits)[counts].sort_values("confidence", ascending=False, kind="stable")
    found = [
        levels_precision_score(boxes.loc[boxes["kind"] == k, "hit"].to_numpy(), int(truths))
        for k, truths in answers["kind"].value_counts().items()
    ]
    return float(np.mean(found)) if found else -1.0


def _read_boxes(column: Column, entry: Entry) -> pd.DataFrame:
    """The boxes of a submission, a row each, numbered from 0."""
    if entry.version == "v1":
        must_not_be_missing(column)
    groups = must_be_groups(column, FORM[entry.version], expected="'class confidence x_min y_min x_max y_max …'")
    finite = np.isfinite(groups.numbers)
    groups.reject_where(~finite[:, 0], Reason.NOT_FINITE, "have a class that is nan or infinite", hint=HINT)
    if entry.version == "v2":
        groups.reject_where(
            ~finite[:, 2:].all(axis=1), Reason.NOT_FINITE, "have corners that are not finite", hint=HINT
        )
    boxes = pd.DataFrame(groups.numbers, columns=["class", "confidence", *CORNERS])
    return boxes.assign(row=groups.rows, number=np.arange(len(boxes)))


def _judge_as_published(boxes: pd.DataFrame, truth: pd.DataFrame, entry: Entry) -> tuple[Mask, Mask, pd.DataFrame]:
    """v1: which boxes are hits, which count at all, and the answers that count."""
    found = _find(boxes, truth, repaired=False)
    is_odd, is_void = _has_odd_area(boxes), _has_odd_area(truth)
    if not np.isfinite(boxes[CORNERS]).all(axis=None):
        entry.warn("Boxes have corners that are nan or infinite: v1 takes them for hits on nearly any finding.")
    if is_odd.any():
        entry.warn("Boxes have their corners swapped or are absurdly large: v1 does not count them where they miss.")
    hits = found > 0  # not the one that finds answer 0
    counts = ~np.where(found >= 0, is_void[found], is_odd) & ~((found == 0) & is_odd)
    return hits, counts, truth[~is_void]


def _has_odd_area(boxes: pd.DataFrame) -> Mask:
    area: Floats = ((boxes["x_max"] - boxes["x_min"]) * (boxes["y_max"] - boxes["y_min"])).to_numpy()
    return (area < 0) | (area > LARGEST_AREA)


def _find(boxes: pd.DataFrame, truth: pd.DataFrame, *, repaired: bool) -> Lines:
    """The answer that each box finds, as its row from 0, or -1. Boxes come by code and falling confidence."""
    corners, true_corners = boxes[CORNERS].to_numpy(), truth[CORNERS].to_numpy()
    iou_of = corner_iou_scores if repaired else _iou_as_published
    first_box = np.flatnonzero(boxes["number"] == 0).tolist()
    matches = match_by_overlap(
        boxes["code"].to_numpy(),
        truth["code"].to_numpy(),
        lambda left, right: iou_of(corners[left], true_corners[right]),
        lambda iou: iou > LEAST_IOU if repaired else ~(iou < LEAST_IOU),
        borrower=first_box[0] if first_box and not repaired else None,
    )
    found = np.full(len(boxes), -1)
    found[list(matches.keys())] = list(matches.values())
    return found


def _iou_as_published(boxes: Floats, answers: Floats) -> Floats:
    """v1: the far corner is a size, and an edge that is nan gives way to the other box's."""
    (near, size), (true_near, true_size) = ((side[:, :2], side[:, 2:]) for side in (boxes, answers))
    common = np.fmin(near + size, true_near + true_size) - np.fmax(near, true_near)
    both = np.where((common <= 0).any(axis=1), 0.0, common.prod(axis=1))
    either = size.prod(axis=1) + true_size.prod(axis=1) - both
    return np.where(both == 0, 0.0, both / either)
