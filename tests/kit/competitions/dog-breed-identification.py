"""Synthetic raw data and submissions for dog-breed-identification."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, csv_text, tables, write

N = 400  # rows of the raw label file
BREEDS = tables("dog-breed-identification")["classes"]


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    breeds = rng.permutation(np.resize(BREEDS, n))
    ids = [rng.bytes(16).hex() for _ in range(n)]
    write(raw / "labels.csv", csv_text([{"id": i, "breed": b} for i, b in zip(ids, breeds)]))
    for i in ids:
        write(raw / "train" / f"{i}.jpg", blob(rng))
    for _ in range(5):  # Kaggle's own test images are never used
        write(raw / "test" / f"{rng.bytes(16).hex()}.jpg", blob(rng))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    noisy, good = sample.copy(), truth.copy()
    noisy[BREEDS] = rng.dirichlet(np.ones(len(BREEDS)), len(sample))
    good[BREEDS] = 0.9 * truth[BREEDS].to_numpy() + 0.1 / len(BREEDS)
    wrong = truth.copy()  # hard 0/1 rows, the first half of them wrong: exercises the clipping
    half = len(wrong) // 2
    wrong.loc[: half - 1, BREEDS] = np.roll(truth[BREEDS].to_numpy()[:half], 1, axis=1)
    sums_slightly_off = sample.copy()
    sums_slightly_off[BREEDS[0]] += 5e-6
    missing_value = sample.copy()
    missing_value.loc[0, BREEDS[3]] = np.nan
    missing_value.loc[0, BREEDS[4]] += 1 / 120
    twice = sample.copy()
    twice.loc[0, "id"] = twice.loc[1, "id"]
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "hard_half_wrong": wrong,
        "perfect": truth,
        "quirk_extra_column_reordered": noisy.assign(note="x")[["note", *BREEDS[::-1], "id"]],
        "quirk_sums_slightly_off": sums_slightly_off,
        "bad_missing_row": sample.iloc[1:],
        "bad_missing_class": sample.drop(columns=BREEDS[7]),
        "bad_missing_id": sample.drop(columns="id"),
        "bad_sum": sample.assign(**{BREEDS[0]: 0.5}),
        "bad_negative": sample.assign(**{BREEDS[0]: -0.1, BREEDS[1]: 0.1 + 2 / 120}),
        "bad_nan": missing_value,
        "bad_ids": sample.assign(id=sample["id"].str[::-1]),
        "bad_duplicate_id": twice,
    }
