"""Synthetic raw data and submissions for freesound-audio-tagging-2019."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, csv_text, tables, write, write_zip

N = 120  # test clips
CLASSES = tables("freesound-audio-tagging-2019")["classes"]


def labels(rng: np.random.Generator) -> str:
    k = int(rng.choice([1, 2, 3, 5], p=[0.7, 0.2, 0.07, 0.03]))
    return ",".join(rng.choice(CLASSES, k, replace=False))


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    names = [f"{c:08x}.wav" for c in np.sort(rng.permutation(20 * n)[: 4 * n]) * 7919]
    names = [names[i] for i in rng.permutation(4 * n)]
    test, curated, noisy, other = names[:n], names[n : 2 * n], names[2 * n : 3 * n], names[3 * n :]
    for folder, group in (("train_curated", curated), ("train_noisy", noisy), ("test", test)):
        for f in group:
            write(raw / folder / f, blob(rng))
    write(raw / "train_curated.csv", csv_text([{"fname": f, "labels": labels(rng)} for f in curated]))
    write(raw / "train_noisy.csv", csv_text([{"fname": f, "labels": labels(rng)} for f in noisy]))
    write(raw / "extra/deep/readme.txt", "copied as it is\n")
    write(raw / "sample_submission.csv", csv_text([{"fname": f, **{c: 0 for c in CLASSES}} for f in sorted(test)]))
    rows = [{"fname": f, "labels": labels(rng), "usage": "Private", "freesound_id": 1, "license": "CC0"} for f in test]
    rows += [{"fname": f, "labels": labels(rng), "usage": "Public", "freesound_id": 2, "license": "CC0"} for f in other]
    rows[0]["labels"] = "Not_a_class"  # a clip without any known label: not scored
    rows[1]["labels"] = "Bark,Not_a_class,Bus"
    rows = [rows[i] for i in rng.permutation(len(rows))]
    write_zip(raw / "FSDKaggle2019.meta.zip", {
        "FSDKaggle2019.meta/test_post_competition.csv": csv_text(rows),
        "FSDKaggle2019.meta/train_curated_post_competition.csv": "fname,labels\n",
    })


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    n = len(sample)
    noisy, good = sample.copy(), truth.copy()
    noisy[CLASSES] = rng.random((n, 80))
    good[CLASSES] = 0.4 * truth[CLASSES] + 0.7 * rng.random((n, 80))
    ties = good.copy()
    ties[CLASSES] = good[CLASSES].round(1)
    labelled = truth.loc[truth[CLASSES].sum(axis=1) > 0, "fname"].iloc[0]
    unlabelled = truth.loc[truth[CLASSES].sum(axis=1) == 0, "fname"].iloc[0]
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.iloc[rng.permutation(n)],
        "ties": ties,
        "perfect": truth,
        "quirk_any_range": good.assign(**{c: 100 * good[c] - 50 for c in CLASSES}),
        "quirk_blank_in_unscored_clip": noisy.assign(Bark=noisy["Bark"].where(noisy["fname"] != unlabelled)),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.iloc[:1]]),
        "bad_missing_class": sample.drop(columns="Bark"),
        "bad_extra_column": sample.assign(other=1),
        "bad_class_order": sample[["fname"] + CLASSES[::-1]],
        "bad_fname_last": sample[CLASSES + ["fname"]],
        "bad_names": sample.assign(fname=sample["fname"].str.upper()),
        "bad_duplicate_name": sample.assign(fname=np.where(np.arange(n) == 0, sample["fname"][1], sample["fname"])),
        "bad_blank": noisy.assign(Bark=noisy["Bark"].where(noisy["fname"] != labelled)),
        "bad_words": noisy.assign(Bark="loud"),
    }
