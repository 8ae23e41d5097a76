"""Smartphones: days split at random, with the folders of their drives; quantiles of distances, trip by trip."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read

COLUMNS = ["tripId", "UnixTimeMillis", "LatitudeDegrees", "LongitudeDegrees"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    said = dict(list(predicted.groupby("tripId")))
    return float(np.mean([trip_score(said[trip], rows) for trip, rows in truth.groupby("tripId", sort=False)]))


def trip_score(said: pd.DataFrame, true: pd.DataFrame) -> float:
    (lat1, lng1), (lat2, lng2) = (
        np.radians(side[["LatitudeDegrees", "LongitudeDegrees"]].to_numpy()).T for side in (said, true)
    )
    a = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lng2 - lng1) / 2) ** 2
    distances = 2 * 6371000 * np.arcsin(np.sqrt(a))
    return float(np.mean([np.quantile(distances, 0.5), np.quantile(distances, 0.95)]))


def prepare(raw: Path, public: Path, private: Path) -> None:
    drives = sorted(folder.name for folder in (raw / "train").iterdir() if folder.is_dir())
    dates = {drive: "-".join(part.zfill(2) for part in drive.split("-")[:3]) for drive in drives}
    train, test = splitting.split(sorted(set(dates.values())))
    splitting.copy_folders([drive for drive in drives if dates[drive] in train], raw / "train", public / "train")
    splitting.copy_folders([drive for drive in drives if dates[drive] in test], raw / "train", public / "test")
    shutil.copytree(raw / "metadata", public / "metadata")
    trips = []
    for path in sorted((public / "test").rglob("ground_truth.csv")):
        drive, phone = path.parts[-3:-1]
        trips.append(pd.read_csv(path).assign(tripId=f"{drive}-{phone}")[COLUMNS])
        path.unlink()
    answers = pd.concat(trips)
    splitting.write(private / "test.csv", answers)
    sample = answers.assign(LatitudeDegrees=37.904611315634504, LongitudeDegrees=-86.48107806249548)
    splitting.write(public / "sample_submission.csv", sample)
