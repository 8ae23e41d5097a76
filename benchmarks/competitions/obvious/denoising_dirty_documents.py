"""Denoising: a row a pixel, made one by one; two tables sorted by as many texts."""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.reading import sorted_pair


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "answers.csv", "id")
    return float(np.sqrt(mean_squared_error(truth["value"], predicted["value"])))


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    for name in ("train.zip", "train_cleaned.zip"):
        with zipfile.ZipFile(raw / name) as archive:
            archive.extractall(public)
    (public / "test").mkdir()
    pages = sorted((public / "train").glob("*.png"), key=lambda page: page.name)
    _, test = train_test_split(pages, test_size=0.2, random_state=0)
    rows = []
    for page in sorted(test, key=lambda page: page.name):
        shutil.move(page, public / "test" / page.name)
        clean = public / "train_cleaned" / page.name
        levels = np.asarray(Image.open(clean).convert("L"))
        for i in range(levels.shape[0]):
            for j in range(levels.shape[1]):
                rows.append((f"{page.stem}_{i + 1}_{j + 1}", levels[i, j] / 255.0))
        clean.unlink()
    answers = pd.DataFrame(rows, columns=["id", "value"])
    answers.to_csv(private / "answers.csv", index=False)
    answers.assign(value=1).to_csv(public / "sampleSubmission.csv", index=False)
