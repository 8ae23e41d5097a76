"""Synthetic raw data and submissions for vinbigdata-chest-xray-abnormalities-detection."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, csv_text, tables, write

N = 400  # images of the raw train set
CLASSES = tables("vinbigdata-chest-xray-abnormalities-detection")["classes"]


def box(rng: np.random.Generator) -> list[float]:
    x, y = rng.integers(0, 2000, 2)
    w, h = rng.integers(20, 900, 2)
    return [float(x), float(y), float(x + w), float(y + h)]


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    ids = [rng.bytes(16).hex() for _ in range(n)]
    rows = []

    def add(image: str, kind: int, corners) -> None:
        rows.append({"image_id": image, "class_name": CLASSES[kind], "class_id": kind, "rad_id": f"R{rng.integers(1, 18)}",
                     **dict(zip(("x_min", "y_min", "x_max", "y_max"), corners))})

    for k, image in enumerate(ids):
        if rng.random() < 0.4:
            for _ in range(3):  # three radiologists saw nothing
                add(image, 14, [""] * 4)
            continue
        for kind in rng.choice(14, int(rng.integers(1, 6)), replace=False):
            first = box(rng)
            for _ in range(int(rng.integers(1, 4))):
                add(image, int(kind), first)
                first = [v + float(d) for v, d in zip(first, rng.integers(-20, 20, 4))]
        if k % 9 == 0:
            add(image, 14, [""] * 4)
        if k % 5 == 0:  # a hole in the first row of a pair, filled from the second
            whole = box(rng)
            add(image, 9, whole[:3] + [""])
            add(image, 9, [v + 1 for v in whole])
    rows = [rows[i] for i in rng.permutation(len(rows))]
    write(raw / "train.csv", csv_text(rows))
    write(raw / "sample_submission.csv", "image_id,PredictionString\n002a34c58c5b758217ed1f584ccbcfe9,14 1 0 0 1 1\n")
    for image in ids:
        write(raw / f"train/{image}.dicom", blob(rng))
    write(raw / "test/002a34c58c5b758217ed1f584ccbcfe9.dicom", blob(rng))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    gold = pd.read_csv(private / "gold_submission.csv")
    truth = {i: np.array(s.split(" "), dtype=float).reshape(-1, 6) for i, s in zip(gold["image_id"], gold["PredictionString"])}
    n = len(sample)

    def predict(make) -> pd.DataFrame:
        out = []
        for image in sample["image_id"]:
            found = make(truth[image])
            out.append(" ".join(f"{int(c)} {s:.3f} {' '.join(str(round(float(v), 1)) for v in b)}" for c, s, b in found) or "14 1 0 0 1 1")
        return sample.assign(PredictionString=out)

    def noise(count: int) -> list:
        return [(rng.integers(0, 15), rng.random(), box(rng)) for _ in range(count)]

    def jitter(t: np.ndarray, size: float) -> list:
        return [(r[0], 0.3 + 0.7 * rng.random(), r[2:] + size * rng.standard_normal(4)) for r in t if rng.random() < 0.9]

    near = predict(lambda t: jitter(t, 3) + noise(1))
    first = np.arange(n) == 0
    text = near["PredictionString"]

    def with_first(change) -> pd.DataFrame:
        return near.assign(PredictionString=[change(t) if f else t for f, t in zip(first, text)])

    return {
        "sample": sample,
        "gold": gold,
        "gold_other_order": gold.iloc[rng.permutation(n)],
        "noise": predict(lambda t: noise(5)),
        "near_shuffled": near.iloc[rng.permutation(n)],
        "rough": predict(lambda t: jitter(t, 150) + jitter(t, 300) + noise(3)),
        "ties": predict(lambda t: [(c, 0.5, b) for c, _, b in jitter(t, 100) + noise(4)]),
        "several_hits_on_one_box": predict(lambda t: jitter(t, 10) + jitter(t, 10) + jitter(t, 10)),
        "more_than_hundred_boxes": predict(lambda t: [(r[0], 0.9, [9000, 9000, 10, 10]) for r in t for _ in range(100)] + jitter(t, 3)),
        "corners_swapped": predict(lambda t: [(c, s, [b[2], b[1], b[0], b[3]]) for c, s, b in jitter(t, 3) + noise(3)] + jitter(t, 20)),
        "unknown_class_and_scores": predict(lambda t: jitter(t, 3) + [(77, 0.9, box(rng)), (-1, 5.0, box(rng)), (3, -2.0, box(rng))]),
        "no_finding_everywhere": predict(lambda t: [(14, 0.5, [0, 0, 1, 1])] + jitter(t, 5)),
        "quirk_image_twice": pd.concat([near, near.iloc[:1], predict(lambda t: noise(2)).iloc[:2]]),
        "quirk_extra_column": near.assign(note="x").iloc[:, ::-1],
        "bad_missing_image": near.iloc[1:],
        "bad_extra_image": pd.concat([near, near.iloc[:1].assign(image_id="x")]),
        "bad_images": near.assign(image_id=near["image_id"] + "x"),
        "bad_kaggle_header": near.rename(columns={"image_id": "ID", "PredictionString": "TARGET"}),
        "bad_blank": with_first(lambda t: ""),
        "bad_five_numbers": with_first(lambda t: "3 0.5 10 10 20"),
        "bad_double_space": with_first(lambda t: t.replace(" ", "  ", 1)),
        "bad_space_at_end": with_first(lambda t: t + " "),
        "bad_words": with_first(lambda t: "none"),
    }
