"""Synthetic raw data and submissions for ranzcr-clip-catheter-line-classification."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, tables, write

N = 400  # rows of the raw train set
FACTS = tables("ranzcr-clip-catheter-line-classification")
LABELS, SCORED = FACTS["labels"], FACTS["scored"]
UID = "StudyInstanceUID"


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    ids = [f"1.2.826.0.1.3680043.8.498.{a}{b:09d}" for a, b in zip(rng.integers(1, 10**12, n), rng.permutation(n))]
    train = pd.DataFrame((rng.random((n, 11)) < 0.3).astype(int), columns=LABELS)
    train.insert(0, UID, ids)
    train["PatientID"] = [f"{p:09x}" for p in rng.integers(0, n // 3, n)]
    notes = []
    for i in range(n):
        for _ in range(int(rng.integers(0, 3))):  # some images have no annotation, some have two
            points = rng.integers(0, 3000, (int(rng.integers(1, 4)), 2)).tolist()
            notes.append((ids[i], rng.choice(LABELS), str(points)))
    notes = pd.DataFrame([notes[i] for i in rng.permutation(len(notes))], columns=[UID, "label", "data"])
    write(raw / "train.csv", train.to_csv(index=False, lineterminator="\n"))
    write(raw / "train_annotations.csv", notes.to_csv(index=False, lineterminator="\n"))
    write(raw / "sample_submission.csv", train.head(3).drop(columns="PatientID").to_csv(index=False, lineterminator="\n"))
    for i in ids:
        write(raw / f"train/{i}.jpg", blob(rng))
    write(raw / f"test/{ids[0]}9.jpg", blob(rng))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    n = len(sample)
    noisy, good = sample.copy(), truth[[UID] + LABELS].copy()
    noisy[SCORED] = rng.random((n, len(SCORED)))
    good[LABELS] = 0.3 * truth[LABELS] + 0.7 * rng.random((n, len(LABELS)))
    ties = good.copy()
    ties[LABELS] = good[LABELS].round(1)
    first = np.arange(n) == 0
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.iloc[rng.permutation(n)],
        "ties": ties,
        "perfect": truth[[UID] + SCORED],
        "quirk_other_columns": good[LABELS[::-1] + [UID]].assign(PatientID="x"),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.iloc[:1]]),
        "bad_missing_class": sample.drop(columns="NGT - Borderline"),
        "bad_no_id": sample.rename(columns={UID: "id"}),
        "bad_ids": sample.assign(**{UID: sample[UID] + "0"}),
        "bad_duplicate_id": sample.assign(**{UID: np.where(first, sample[UID][1], sample[UID])}),
        "bad_above_one": noisy.assign(**{SCORED[8]: np.where(first, 1.01, noisy[SCORED[8]])}),
        "bad_negative": noisy.assign(**{SCORED[0]: np.where(first, -0.01, noisy[SCORED[0]])}),
        "bad_blank": noisy.assign(**{SCORED[4]: np.where(first, np.nan, noisy[SCORED[4]])}),
        "bad_words": noisy.assign(**{SCORED[4]: "high"}),
    }
