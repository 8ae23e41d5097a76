"""Vesuvius: two whole pictures, and scikit-learn's F-beta of them; the third fragment is copied without its labels."""

import shutil
from pathlib import Path

import pandas as pd
from PIL import Image
from sklearn.metrics import fbeta_score

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import flat_mask, read


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "inklabels_rle.csv")
    pixels = int(truth["width"][0] * truth["height"][0])
    said, true = flat_mask(predicted["Predicted"][0], pixels), flat_mask(truth["Predicted"][0], pixels)
    return float(fbeta_score(true, said, beta=0.5))


def prepare(raw: Path, public: Path, private: Path) -> None:
    splitting.copy_folders(["1", "2"], raw / "train", public / "train")
    withheld = shutil.ignore_patterns("inklabels.png", "inklabels_rle.csv", "ir.png")
    shutil.copytree(raw / "train/3", public / "test/a", ignore=withheld)
    gold = read(raw / "train/3/inklabels_rle.csv").assign(Id="a")
    width, height = Image.open(raw / "train/3/ir.png").size
    splitting.write(private / "inklabels_rle.csv", gold.assign(width=width, height=height))
    splitting.write(private / "gold_submission.csv", gold)
    splitting.write(public / "sample_submission.csv", pd.DataFrame({"Id": ["a"], "Predicted": ["1 1 5 1"]}))
