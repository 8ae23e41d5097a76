"""VinBigData: COCO's matching image by image and class by class, with the faults that v1 keeps; images split at
random."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read

CORNERS = ["x_min", "y_min", "x_max", "y_max"]

Box = tuple[float, ...]
Truths = dict[tuple[str, int], list[tuple[int, Box]]]
Found = dict[tuple[str, int], list[tuple[int, float, Box]]]


def grade(submission: Path, private: Path) -> float:
    answers = read(private / "answers.csv")
    truths: Truths = defaultdict(list)
    for number, row in answers.iterrows():
        truths[row["image_id"], row["class_id"]].append(
            (number, (row["x_min"], row["y_min"], row["x_max"], row["y_max"]))
        )
    found: Found = defaultdict(list)
    number = 0
    for _, row in read(submission).iterrows():
        numbers = [float(word) for word in row["PredictionString"].split(" ")]
        for at in range(0, len(numbers), 6):
            found[row["image_id"], int(numbers[at])].append((number, numbers[at + 1], tuple(numbers[at + 2 : at + 6])))
            number += 1
    images = list(dict.fromkeys(answers["image_id"]))
    precisions = [average_precision(kind, images, truths, found) for kind in sorted(set(answers["class_id"]))]
    counted = [one for one in precisions if one is not None]
    return float(np.mean(counted)) if counted else -1.0


def average_precision(kind: int, images: list[str], truths: Truths, found: Found) -> float | None:
    scores, hits, answers = [], [], 0
    for image in images:
        free = list(truths.get((image, kind), []))
        answers += sum(not is_void(box) for _, box in free)
        for number, confidence, box in sorted(found.get((image, kind), []), key=lambda one: -one[1])[:100]:
            match = find(box, free)
            if match is None:
                is_hit, is_counted = False, not is_void(box)
            else:
                which, true = match
                is_hit = which != 0
                is_counted = not is_void(true) and (is_hit or not is_void(box))
                if number != 0:
                    free.remove(match)
            if is_counted:
                scores.append(confidence)
                hits.append(is_hit)
    if not answers:
        return None
    order = np.argsort(-np.array(scores), kind="stable")
    right = np.array(hits, dtype=bool)[order]
    tp, fp = np.cumsum(right), np.cumsum(~right)
    recall, precision = tp / answers, tp / (tp + fp + np.spacing(1))
    for place in range(len(precision) - 1, 0, -1):
        precision[place - 1] = max(precision[place - 1], precision[place])
    total = 0.0
    for level in np.linspace(0, 1, 101):
        at = int(np.searchsorted(recall, level, side="left"))
        total += precision[at] if at < len(precision) else 0.0
    return total / 101


def find(box: Box, free: list[tuple[int, Box]]) -> tuple[int, Box] | None:
    best, match = 0.4, None
    for candidate in free:
        overlap = iou(box, candidate[1])
        if overlap >= best:
            best, match = overlap, candidate
    return match


def is_void(box: Box) -> bool:
    area = (box[2] - box[0]) * (box[3] - box[1])
    return area < 0 or area > 1e10


def iou(a: Box, b: Box) -> float:
    """v1: the third and fourth number as if they were width and height."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    overlap = width * height
    return float(overlap / (a[2] * a[3] + b[2] * b[3] - overlap))


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    train, test = splitting.split(table["image_id"].unique())
    splitting.write(public / "train.csv", table[table["image_id"].isin(train)])
    sample = pd.DataFrame({"image_id": test, "PredictionString": "14 1 0 0 1 1"})
    splitting.write(public / "sample_submission.csv", sample)
    answers = table[table["image_id"].isin(test)].groupby(["image_id", "class_id"]).first().reset_index()
    answers[CORNERS] = answers[CORNERS].fillna(0)
    answers.loc[answers["class_id"] == 14, ["x_max", "y_max"]] = 1.0
    splitting.write(private / "answers.csv", answers)
    boxes = [f"{row['class_id']} 1.0 " + " ".join(str(row[name]) for name in CORNERS) for _, row in answers.iterrows()]
    gold = answers.assign(PredictionString=boxes).groupby("image_id")["PredictionString"].agg(" ".join)
    splitting.write(private / "gold_submission.csv", gold.reset_index())
    for part, images in (("train", train), ("test", test)):
        splitting.copy_files([f"{image}.dicom" for image in images], raw / "train", public / part)
