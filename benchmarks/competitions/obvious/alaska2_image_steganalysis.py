"""ALASKA2: scikit-learn's curve, sliced; files copied one after the other."""

import random
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import auc, roc_curve
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.reading import sorted_pair

ALGORITHMS = ["JMiPOD", "JUNIWARD", "UERD"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "Id")
    fpr, tpr, _ = roc_curve(truth["Label"], predicted["Label"], pos_label=1)
    if 0.4 not in tpr:
        after = int(np.argmax(tpr > 0.4))
        fpr = np.insert(fpr, after, np.interp(0.4, tpr[after - 1 : after + 1], fpr[after - 1 : after + 1]))
        tpr = np.insert(tpr, after, 0.4)
    area = 0.0
    for low, high, weight in ((0.0, 0.4, 2), (0.4, 1.0, 1)):
        inside = (low <= tpr) & (tpr <= high)
        area += weight * auc(np.append(fpr[inside], 1.0), np.append(tpr[inside], high) - low)
    return float(area / (0.4 * 2 + 0.6 * 1))


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    for folder in ("Cover", "Test", *ALGORITHMS):
        (public / folder).mkdir(parents=True)
    train, test = train_test_split(sorted((raw / "Cover").glob("*.jpg")), test_size=5000, random_state=42)
    for number, image in enumerate(train, start=1):
        for folder in ("Cover", *ALGORITHMS):
            shutil.copy(raw / folder / image.name, public / folder / f"{number:05d}.jpg")
    random.seed(0)
    random.shuffle(test)
    rows = []
    for number, image in enumerate(test, start=1):
        is_cover = random.choice([True, False])
        folder = "Cover" if is_cover else random.choice(ALGORITHMS)
        shutil.copy(raw / folder / image.name, public / "Test" / f"{number:04d}.jpg")
        rows.append({"Id": f"{number:04d}.jpg", "Label": int(not is_cover)})
    answers = pd.DataFrame(rows)
    answers.to_csv(private / "test.csv", index=False)
    answers.assign(Label=0).to_csv(public / "sample_submission.csv", index=False)
