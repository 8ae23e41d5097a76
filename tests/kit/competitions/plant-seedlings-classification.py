"""Synthetic raw data and submissions for plant-seedlings-classification."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, tables, write

N = 300  # labelled images
SPECIES = tables("plant-seedlings-classification")["classes"]


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    labels = np.concatenate([SPECIES, rng.choice(SPECIES, max(0, n - len(SPECIES)))])[:n]
    for label in rng.permutation(labels):
        write(raw / "train" / str(label) / f"{rng.bytes(6).hex()}.png", blob(rng))
    # what preparation must pass over: files that are no folder, names that do not end in .png, deeper folders
    write(raw / "train/README.txt", "not a class")
    write(raw / "train/stray.png", blob(rng))
    write(raw / "train" / SPECIES[0] / "Thumbs.db", blob(rng))
    write(raw / "train" / SPECIES[1] / "upper.PNG", blob(rng))
    write(raw / "train" / SPECIES[2] / "deeper/inside.png", blob(rng))
    for i in range(3):
        write(raw / "test" / f"{rng.bytes(6).hex()}.png", blob(rng))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "answers.csv")
    n = len(sample)
    pick = rng.choice(SPECIES, n)
    good = truth.assign(species=np.where(rng.random(n) < 0.9, truth["species"], pick))
    unknown = good.copy()
    unknown.loc[::5, "species"] = "Triffid"
    hole, duplicate = good.copy(), good.copy()
    hole.loc[0, "species"] = np.nan
    duplicate.loc[0, "file"] = duplicate.loc[1, "file"]
    return {
        "sample": sample,
        "noisy": sample.assign(species=pick),
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "perfect": truth,
        "lower_case": truth.assign(species=truth["species"].str.lower()),
        "quirk_unknown_species": unknown,
        "quirk_nan": hole,
        "quirk_extra_column": good.assign(confidence=0.5),
        "bad_missing_row": sample.iloc[1:],
        "bad_no_species": sample.drop(columns="species"),
        "bad_no_file": sample.drop(columns="file"),
        "bad_numbers": sample.assign(species=rng.integers(0, 12, n)),
        "bad_all_nan": sample.assign(species=np.nan),
        "bad_files": sample.assign(file="x" + sample["file"]),
        "bad_duplicate_file": duplicate,
    }
