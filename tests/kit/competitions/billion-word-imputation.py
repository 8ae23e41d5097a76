"""Synthetic raw data and submissions for billion-word-imputation."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import write_zip

N = 9000  # sentences in the raw training text; about 1 % become the test set
WORDS = "the of a in to and said 's market , team -- New York 2,000 per cent café President naïve it was NA not % great story".split()


def _sentence(rng: np.random.Generator) -> str:
    words = [str(w) for w in rng.choice(WORDS, int(rng.integers(3, 25)))]
    kind = rng.random()
    if kind < 0.10:  # quotes, alone and inside a word
        words[0], words[-1] = '"', 'say"so'
    elif kind < 0.13:  # too short to lose a word
        words = words[: int(rng.integers(0, 2))]
    elif kind < 0.20:  # three words, only the middle one can go
        words = words[:2]
    gap = "  " if 0.20 < kind < 0.25 else "\t" if 0.25 < kind < 0.30 else "\u00a0" if 0.30 < kind < 0.33 else " "
    edge = "  " if 0.33 < kind < 0.36 else ""
    end = "\r\n" if 0.36 < kind < 0.40 else "\n"
    return edge + gap.join(words + ["."]) + edge + end


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    text = "".join(_sentence(rng) for _ in range(n - 1)) + "This last line has no line break ."
    write_zip(raw / "train_v2.txt.zip", {"train_v2.txt": text})
    write_zip(raw / "test_v2.txt.zip", {"test_v2.txt": '"id","sentence"\n1,"A test ."\n'})


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(private / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    guesses = []
    for sentence in sample["sentence"]:
        words = sentence.split(" ")
        at = int(rng.integers(1, len(words))) if len(words) > 1 else 0
        guesses.append(" ".join(words[:at] + [str(rng.choice(WORDS))] + words[at:]))
    half = truth.assign(sentence=truth["sentence"].where(rng.random(len(truth)) < 0.5, sample["sentence"]))
    duplicate = sample.copy()
    duplicate.loc[0, "id"] = duplicate.loc[1, "id"]
    empty = sample.copy()
    empty.loc[2, "sentence"] = ""
    word_na = sample.copy()
    word_na.loc[2, "sentence"] = "NA"
    return {
        "sample": sample,
        "guess": sample.assign(sentence=guesses),
        "perfect": truth,
        "good_shuffled": half.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "one_letter": sample.assign(sentence="x"),
        "quirk_extra_column": half.assign(note="x"),
        "bad_empty_sentence": empty,
        "bad_na_is_empty": word_na,
        "bad_numbers": sample.assign(sentence=1),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.tail(1)]),
        "bad_no_id": sample.rename(columns={"id": "Id"}),
        "bad_no_sentence": sample.rename(columns={"sentence": "text"}),
        "bad_ids": sample.assign(id=sample["id"] + 1),
        "bad_duplicate_id": duplicate,
    }
