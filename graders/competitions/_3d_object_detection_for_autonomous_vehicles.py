"""Lyft 3D Object Detection: average precision of boxes in space, over IoU thresholds from 0.5 to 0.95.

The mean over samples, of the mean over the classes that are in the sample, of the area under the curve of precision
and recall. Objects of classes that a sample does not have cost nothing there, as the organisers had it.

v1 does not look at the boxes of such classes, but for an infinite yaw; v2 checks every box alike. An infinite height
or center_z, of which the corners on the ground say nothing, is no reason to reject a box: it overlaps with none. A
confidence that is `nan` ranks last.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.metrics.detection import envelope_precision_scores, pairs_within
from graders.metrics.rotated import Boxes, box_iou_scores
from graders.toolkit import Entry, Floats, Form, Groups, Reason, must_be_groups, must_have, pair

FORM = Form(size=9, name=8, blank_is_none=True)
EXPECTED = "'confidence center_x center_y center_z width length height yaw class_name …', or nothing"
THRESHOLDS = np.arange(0.5, 1.0, 0.05)
RIGHT_ANGLE = 1e-8
"""Edges whose product is within this of 0 stand upright on each other."""

Lines = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "PredictionString")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    kinds = sorted({kind for text in truth["PredictionString"] for kind in text.split()[FORM.size - 1 :: FORM.size]})
    answers = must_be_groups(truth["PredictionString"], FORM, known=kinds, expected=EXPECTED)
    objects = must_be_groups(predicted["PredictionString"], FORM, known=kinds, expected=EXPECTED)
    tasks, answer_task = np.unique(answers.rows * len(kinds) + answers.names, return_inverse=True)
    in_play = (objects.names >= 0) & np.isin(objects.rows * len(kinds) + objects.names, tasks)
    _must_be_boxes(objects, to_check=in_play if entry.version == "v1" else np.ones(len(objects), dtype=np.bool_))

    task = np.searchsorted(tasks, (objects.rows * len(kinds) + objects.names)[in_play])
    numbers = objects.numbers[in_play]
    ranked = np.lexsort((-numbers[:, 0], task))
    task, boxes = task[ranked], Boxes.of(numbers[ranked, 1:])
    answer, iou = _nearest(boxes, task, Boxes.of(answers.numbers[:, 1:]), answer_task)
    taken_at = _iou_of_earlier_claims(answer, iou)

    sample, classes = tasks // len(kinds), np.bincount(answer_task)
    precisions = [envelope_precision_scores((iou > t) & (taken_at <= t), task, classes) for t in THRESHOLDS]
    of_samples = pd.Series(np.mean(precisions, axis=0)).groupby(sample).mean()
    return float(of_samples.mean())


def _must_be_boxes(objects: Groups, *, to_check: Mask) -> None:
    """Boxes have a place, a positive size and, as far as floats can tell, right angles."""
    yaw = objects.numbers[:, 7]
    hint = "leave such objects out"
    objects.reject_where(np.isinf(yaw), Reason.NOT_FINITE, "have an infinite yaw", hint=hint)
    numbers = objects.numbers[to_check, 1:]
    missing, flat, skewed = (np.zeros(len(objects), dtype=np.bool_) for _ in range(3))
    missing[to_check] = np.isnan(numbers).any(axis=1)
    flat[to_check] = ~(numbers[:, 3:6] > 0).all(axis=1)
    skewed[to_check] = ~_has_right_angles(Boxes.of(numbers))
    objects.reject_where(missing, Reason.NOT_FINITE, "have nan for a center, size or yaw", hint=hint)
    objects.reject_where(flat, Reason.OUT_OF_RANGE, "have a size that is not above 0", hint=hint)
    objects.reject_where(skewed, Reason.OUT_OF_RANGE, "are so far away or so large that their corners blur", hint=hint)


def _has_right_angles(boxes: Boxes) -> Mask:
    corners = boxes.corners()
    to_next, to_last = (np.roll(corners, step, axis=1) - corners for step in (-1, 1))
    products: Floats = (to_next * to_last).sum(axis=2)
    upright: Mask = (np.abs(products) <= RIGHT_ANGLE).all(axis=1)
    return upright


def _nearest(boxes: Boxes, task: Lines, answers: Boxes, answer_task: Lines) -> tuple[Lines, Floats]:
    """For each box the answer of its task that it overlaps most, the first of equal ones, and their IoU.

    An IoU that is below every threshold is as good as none. So only pairs within reach of each other and of about the
    same volume are looked at closely.
    """
    nearest, best = np.full(len(boxes), -1), np.zeros(len(boxes))
    volumes, true_volumes = boxes.volume, answers.volume
    reach, true_reach = (np.hypot(side.width, side.length) / 2 for side in (boxes, answers))
    for left, right in pairs_within(task, answer_task):
        is_near = np.hypot(boxes.x[left] - answers.x[right], boxes.y[left] - answers.y[right]) < (
            reach[left] + true_reach[right]
        )
        left, right = left[is_near], right[is_near]
        volume, true_volume = volumes[left], true_volumes[right]
        is_alike = np.minimum(volume, true_volume) > THRESHOLDS[0] * np.maximum(volume, true_volume)
        left, right = left[is_alike], right[is_alike]
        iou = np.nan_to_num(box_iou_scores(boxes[left], answers[right]))
        best_last = np.lexsort((-right, iou, left))
        nearest[left[best_last]], best[left[best_last]] = right[best_last], iou[best_last]
    return nearest, best


def _iou_of_earlier_claims(answer: Lines, iou: Floats) -> Floats:
    """The largest IoU with which a box before this one claimed its answer: below a threshold, it is still free."""
    largest = pd.Series(iou).groupby(answer).cummax()
    earlier: Floats = largest.groupby(answer).shift(fill_value=0.0).to_numpy()
    return earlier
