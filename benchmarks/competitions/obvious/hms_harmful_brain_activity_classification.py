"""Brain activity: whole spectrograms are held back; the Kullback-Leibler divergence of votes."""

import shutil
from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write

VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = (
        read(path).sort_values("eeg_id", kind="stable")[VOTES].to_numpy(dtype=float)
        for path in (submission, private / "test.csv")
    )
    truth = truth / truth.sum(axis=1, keepdims=True)
    predicted = np.clip(predicted, 1e-15, 1 - 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(truth > 0, truth * np.log(truth / predicted), 0)
    return float(np.nansum(terms, axis=1).mean())


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    _, held_back = split(table["spectrogram_id"].unique())
    is_test = table["spectrogram_id"].isin(held_back)
    train, test = table[~is_test], table[is_test]
    write(public / "train.csv", train)
    write(private / "test.csv", test)
    write(public / "test.csv", test[["spectrogram_id", "eeg_id", "patient_id"]])
    gold = test[["eeg_id", *VOTES]].copy()
    gold[VOTES] = gold[VOTES].div(gold[VOTES].sum(axis=1), axis=0)
    write(private / "gold_submission.csv", gold)
    write(public / "sample_submission.csv", gold.assign(**dict.fromkeys(VOTES, 1 / 6)))
    shutil.copytree(raw / "example_figures", public / "example_figures")
    for part, rows in (("train", train), ("test", test)):
        for kind in ("eeg", "spectrogram"):
            names = [f"{number}.parquet" for number in rows[f"{kind}_id"].unique()]
            copy_files(names, raw / f"train_{kind}s", public / f"{part}_{kind}s")
