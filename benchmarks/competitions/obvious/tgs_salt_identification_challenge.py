"""TGS: both masks of each picture, their IoU, and the share of thresholds that it exceeds; pictures split at random."""

from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import flat_mask, read, sorted_pair

PIXELS = 101 * 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    scores = []
    for said, true in zip(predicted["rle_mask"], truth["rle_mask"], strict=True):
        p, t = flat_mask(said, PIXELS), flat_mask(true, PIXELS)
        if not t.any():
            scores.append(float(not p.any()))
            continue
        iou = (p & t).sum() / (p | t).sum() if p.any() else t.sum() / PIXELS
        scores.append(float(np.mean([iou > threshold for threshold in THRESHOLDS])))
    return float(np.mean(scores))


def prepare(raw: Path, public: Path, private: Path) -> None:
    with splitting.unpacked(raw / "competition_data.zip", public) as files:
        source = files / "competition_data"
        train, test = (part.sort_values("id") for part in splitting.split(read(source / "train.csv"), test_size=0.25))
        for kind in ("images", "masks"):
            splitting.copy_files(train["id"] + ".png", source / "train" / kind, public / "train" / kind)
        splitting.copy_files(test["id"] + ".png", source / "train/images", public / "test/images")
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(rle_mask="1 1"))
    depths = read(raw / "depths.csv")
    splitting.write(public / "depths.csv", depths[depths["id"].isin(train["id"])].sort_values("id"))
