"""SIIM COVID-19: rows one by one, boxes one by one, and scikit-learn's average precision; studies split
at random, with their folders."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read, sorted_pair

Box = tuple[float, ...]
Found = tuple[str, float, Box]

LABELS = ["Negative for Pneumonia", "Typical Appearance", "Indeterminate Appearance", "Atypical Appearance"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    said = [parse(text) for text in predicted["PredictionString"]]
    true = [parse(text) for text in truth["PredictionString"]]
    classes = sorted({name for row in true for name, _, _ in row})
    return float(np.mean([precision(name, said, true) for name in classes]))


def parse(text: str) -> list[Found]:
    words = text.split()
    return [
        (words[at], float(words[at + 1]), tuple(float(word) for word in words[at + 2 : at + 6]))
        for at in range(0, len(words), 6)
    ]


def precision(name: str, said: list[list[Found]], true: list[list[Found]]) -> float:
    labels, scores = [], []
    for predictions, truths in zip(said, true, strict=True):
        free = [box for kind, _, box in truths if kind == name]
        found = sorted((row for row in predictions if row[0] == name), key=lambda row: -row[1])
        if not free and not found:
            labels.append(0)
            scores.append(0.0)
        for _, confidence, box in found:
            overlaps = [iou(box, other) for other in free]
            best = int(np.argmax(overlaps)) if overlaps else -1
            is_hit = best >= 0 and overlaps[best] > 0.5
            labels.append(int(is_hit))
            scores.append(confidence)
            if is_hit:
                del free[best]
        labels += [1] * len(free)
        scores += [0.0] * len(free)
    return float(average_precision_score(labels, scores))


def iou(a: Box, b: Box) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - width * height
    return width * height / union if union > 0 else 0.0


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = (part.sort_values("id") for part in splitting.split(read(raw / "train_study_level.csv")))
    images = read(raw / "train_image_level.csv").sort_values("id")
    is_train = (images["StudyInstanceUID"] + "_study").isin(train["id"])
    splitting.write(public / "train_study_level.csv", train)
    splitting.write(public / "train_image_level.csv", images[is_train])
    for part, rows in (("train", train), ("test", test)):
        splitting.copy_folders(rows["id"].str.removesuffix("_study"), raw / "train", public / part)
    names = test[LABELS].idxmax(axis=1).str.split().str[0].str.lower()
    studies = pd.DataFrame({"id": test["id"], "PredictionString": names + " 1 0 0 1 1"})
    images = images[~is_train][["id", "label"]].rename(columns={"label": "PredictionString"})
    splitting.write(private / "test.csv", pd.concat([studies, images]))
    guesses = [studies.assign(PredictionString="negative 1 0 0 1 1"), images.assign(PredictionString="none 1 0 0 1 1")]
    splitting.write(public / "sample_submission.csv", pd.concat(guesses))
