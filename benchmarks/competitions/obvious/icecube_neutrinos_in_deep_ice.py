"""IceCube: whole batches of events are held back; the mean angle between directions."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious.reading import sorted_pair
from benchmarks.competitions.obvious.splitting import copy_files, split, write

ANGLES = ["azimuth", "zenith"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "event_id")
    (a1, z1), (a2, z2) = ((side["azimuth"], side["zenith"]) for side in (truth, predicted))
    across = np.cos(a1) * np.cos(a2) + np.sin(a1) * np.sin(a2)
    cosine = np.sin(z1) * np.sin(z2) * across + np.cos(z1) * np.cos(z2)
    return float(np.mean(np.abs(np.arccos(np.clip(cosine, -1, 1)))))


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    meta = pd.read_parquet(raw / "train_meta.parquet")
    parts = split(meta["batch_id"].unique())
    train, test = (meta[meta["batch_id"].isin(batches)].reset_index(drop=True) for batches in parts)
    train.to_parquet(public / "train_meta.parquet", index=False)
    test.drop(columns=ANGLES).to_parquet(public / "test_meta.parquet", index=False)
    answers = test[["event_id", *ANGLES]]
    write(private / "test.csv", answers)
    write(public / "sample_submission.csv", answers.assign(azimuth=1, zenith=1))
    shutil.copy(raw / "sensor_geometry.csv", public)
    for part, batches in zip(("train", "test"), parts, strict=True):
        copy_files([f"batch_{batch}.parquet" for batch in batches], raw / "train", public / part)
