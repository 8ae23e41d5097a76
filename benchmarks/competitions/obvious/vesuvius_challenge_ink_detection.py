"""Vesuvius: two whole pictures, and scikit-learn's F-beta of them."""

from pathlib import Path

from sklearn.metrics import fbeta_score

from benchmarks.competitions.obvious.reading import flat_mask, read


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "inklabels_rle.csv")
    pixels = int(truth["width"][0] * truth["height"][0])
    said, true = flat_mask(predicted["Predicted"][0], pixels), flat_mask(truth["Predicted"][0], pixels)
    return float(fbeta_score(true, said, beta=0.5))
