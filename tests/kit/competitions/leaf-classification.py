"""Synthetic raw data and submissions for leaf-classification."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, tables, write_zip

N = 300  # rows of the raw train set
SPECIES = tables("leaf-classification")["classes"]


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    ids = rng.permutation(np.arange(1, 2 * n + 1))[:n]
    labels = np.concatenate([SPECIES, rng.choice(SPECIES, max(0, n - len(SPECIES)))])[:n]
    columns = [f"{kind}{i}" for kind in ("margin", "shape", "texture") for i in range(1, 65)]
    frame = pd.DataFrame(rng.random((n, len(columns))).round(6), columns=columns)
    frame.insert(0, "id", ids)
    frame.insert(1, "species", rng.permutation(labels))
    write_zip(raw / "train.csv.zip", {"train.csv": frame.to_csv(index=False)})
    write_zip(raw / "images.zip", {f"images/{i}.jpg": blob(rng) for i in ids})


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    classes = [c for c in sample.columns if c != "id"]
    noisy, good = sample.copy(), truth.copy()
    noisy[classes] = rng.dirichlet(np.ones(len(classes)), len(sample))
    good[classes] = 0.9 * truth[classes].to_numpy() + 0.1 / len(classes)
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "bad_missing_row": sample.iloc[1:],
        "bad_missing_class": sample.drop(columns=classes[0]),
        "bad_not_probabilities": sample.assign(**{classes[0]: 2.0}),
        "bad_ids": sample.assign(id=sample["id"] + 100000),
    }
