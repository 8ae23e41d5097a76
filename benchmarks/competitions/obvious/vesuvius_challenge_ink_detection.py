"""Vesuvius: two whole pictures, and scikit-learn's F-beta of them."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import fbeta_score

from benchmarks.competitions.obvious.reading import flat_mask


def grade(submission: Path, private: Path) -> float:
    predicted, truth = pd.read_csv(submission), pd.read_csv(private / "inklabels_rle.csv")
    pixels = int(truth["width"][0] * truth["height"][0])
    said, true = flat_mask(predicted["Predicted"][0], pixels), flat_mask(truth["Predicted"][0], pixels)
    return float(fbeta_score(true, said, beta=0.5))
