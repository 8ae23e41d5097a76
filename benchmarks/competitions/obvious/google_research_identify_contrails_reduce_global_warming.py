"""Contrails: whole pictures, and one Dice coefficient of all of them; files copied one after the other."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.reading import flat_mask, sorted_pair

BANDS = [f"band_{band:02d}.npy" for band in range(8, 17)]
MASKS = ["human_individual_masks.npy", "human_pixel_masks.npy"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "answers.csv", "record_id")
    both = total = 0
    for said, true, height, width in zip(
        predicted["encoded_pixels"], truth["encoded_pixels"], truth["height"], truth["width"], strict=True
    ):
        p, t = (flat_mask("" if code == "-" else code, height * width) for code in (said, true))
        both += int((p & t).sum())
        total += int(p.sum() + t.sum())
    return 2 * both / total


def prepare(raw: Path, public: Path, private: Path) -> None:
    entries = json.loads((raw / "train_metadata.json").read_text())
    validation = json.loads((raw / "validation_metadata.json").read_text())
    train, test = train_test_split(entries, test_size=len(validation), random_state=0)
    private.mkdir(parents=True)
    rows = []
    for part, records, names in (("train", train, BANDS + MASKS), ("test", test, BANDS)):
        for record in records:
            source, target = raw / "train" / record["record_id"], public / part / record["record_id"]
            target.mkdir(parents=True)
            for name in names:
                shutil.copy(source / name, target / name)
            if part == "test":
                height, width = np.load(source / "band_08.npy").shape[:2]
                code = encode(np.load(source / "human_pixel_masks.npy")[:, :, 0])
                rows.append((record["record_id"], code, height, width))
    answers = pd.DataFrame(rows, columns=["record_id", "encoded_pixels", "height", "width"])
    answers.to_csv(private / "answers.csv", index=False)
    random.seed(0)
    guesses = [random.choice(["1 3 10 5", "-"]) for _ in rows]
    answers.assign(encoded_pixels=guesses).to_csv(public / "sample_submission.csv", index=False)
    shutil.copytree(raw / "validation", public / "validation")
    shutil.copy(raw / "validation_metadata.json", public)
    (public / "train_metadata.json").write_text(json.dumps(train))


def encode(mask: npt.NDArray[np.int32]) -> str:
    """Run lengths down the columns, pixel by pixel."""
    runs: list[list[int]] = []
    before = 0
    for place, pixel in enumerate(mask.T.ravel(), start=1):
        if pixel == 1 and before != 1:
            runs.append([place, 0])
        if pixel == 1:
            runs[-1][1] += 1
        before = pixel
    return " ".join(f"{start} {length}" for start, length in runs) or "-"
