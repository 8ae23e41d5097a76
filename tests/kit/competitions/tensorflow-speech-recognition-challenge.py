"""Synthetic raw data and submissions for tensorflow-speech-recognition-challenge."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import py7zr
from rawfiles import blob, tables

N = 330  # wave files of the raw train set
DATA = tables("tensorflow-speech-recognition-challenge")
LABELS = DATA["classes"]
FOLDERS = DATA["raw_folders"]


def write_7z(path: Path, members: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with py7zr.SevenZipFile(path, "w", filters=[{"id": py7zr.FILTER_COPY}]) as z:
        for name, data in members.items():
            z.writestr(data, name)


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    members = {"train/LICENSE": b"text", "train/README.md": b"text", "train/validation_list.txt": b"", "train/testing_list.txt": b"",
               "train/audio/_background_noise_/README.md": b"text"}
    words = [f for f in FOLDERS if f != "_background_noise_"]
    for name in ("white_noise", "pink_noise", "running_tap", "doing_the_dishes", "dude_miaowing", "exercise_bike"):
        members[f"train/audio/_background_noise_/{name}.wav"] = blob(rng, 200)
    speakers = [rng.bytes(4).hex() for _ in range(max(4, n // 12))]
    left = n - 6
    while left > 0:  # the same file name recurs below several words; a speaker may repeat a word
        word, speaker = str(rng.choice(words)), str(rng.choice(speakers))
        name = f"train/audio/{word}/{speaker}_nohash_{int(rng.integers(0, 12))}.wav"
        if name not in members:
            members[name] = blob(rng)
            left -= 1
    names = list(members)
    write_7z(raw / "train.7z", {names[i]: members[names[i]] for i in rng.permutation(len(names))})
    write_7z(raw / "test.7z", {"test/audio/clip_0000adecb.wav": blob(rng)})


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    n = len(sample)
    pick = rng.choice(LABELS, n)
    good = truth.assign(label=np.where(rng.random(n) < 0.8, truth["label"], pick))
    twelve = truth["label"].where(truth["label"].isin(LABELS), "unknown").replace("_background_noise_", "silence")
    hole, duplicate = good.copy(), good.copy()
    hole.loc[0, "label"] = np.nan
    duplicate.loc[0, "fname"] = duplicate.loc[1, "fname"]
    return {
        "sample": sample,
        "noisy": sample.assign(label=pick),
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "perfect": truth,
        "twelve_labels": truth.assign(label=twelve),
        "upper_case": truth.assign(label=truth["label"].str.upper()),
        "quirk_extra_column": good.assign(score=0.5),
        "quirk_numbers": sample.assign(label=rng.integers(0, 12, n)),
        "bad_nan": hole,
        "bad_all_nan": sample.assign(label=np.nan),
        "bad_missing_row": sample.iloc[1:],
        "bad_no_label": sample.drop(columns="label"),
        "bad_no_fname": sample.drop(columns="fname"),
        "bad_ids": sample.assign(fname=sample["fname"].str.replace(".wav", "", regex=False)),
        "bad_duplicate_id": duplicate,
    }
