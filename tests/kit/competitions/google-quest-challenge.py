"""Synthetic raw data and submissions for google-quest-challenge."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import tables, write

N = 400  # rows of the raw train set
FACTS = tables("google-quest-challenge")
FEATURES, CLASSES = FACTS["features"], FACTS["classes"]
WORDS = 'how do I "sort" a list, in \\LaTeX; &amp; $x^2$ naïve \r\n \n\n why? `code` <b>no</b> 3.14 — 日本'.split(" ")


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Half of the seeds leave question_type_spelling without variation in the test rows, so that the swap happens."""
    def words(most: int) -> list[str]:
        return [" ".join(rng.choice(WORDS, int(rng.integers(1, most)))) for _ in range(n)]

    frame = pd.DataFrame({"qa_id": np.sort(rng.permutation(2 * n)[:n])})
    for c in FEATURES[1:]:
        if c == "category":
            frame[c] = rng.choice(["LIFE_ARTS", "CULTURE", "SCIENCE", "STACKOVERFLOW", "TECHNOLOGY"], n)
        elif c == "host":
            frame[c] = rng.choice(["stackoverflow.com", "english.stackexchange.com", "tex.stackexchange.com"], n)
        else:
            frame[c] = words(30 if c in ("question_body", "answer") else 6)
    frame.loc[rng.permutation(n)[:3], "question_title"] = "NA"
    grid = np.array([0.0, 1 / 3, 0.5, 2 / 3, 1.0, 0.333333, 0.888889, 8 / 9])
    values = rng.choice(grid, (n, len(CLASSES)))
    values[:, 2][rng.random(n) < 0.6] = 0.0
    spelling = CLASSES.index("question_type_spelling")
    if rng.integers(0, 2) == 0:
        inside = np.random.RandomState(0).permutation(n)[: -(-n // 10)]  # the rows the split makes the test set
        outside = np.setdiff1d(np.arange(n), inside)
        values[:, spelling] = 0.0
        values[rng.choice(outside, 3, replace=False), spelling] = [0.333333, 0.5, 2 / 3]
    frame[CLASSES] = values
    write(raw / "train.csv", frame.to_csv(index=False, lineterminator="\n"))
    write(raw / "test.csv", frame[FEATURES].head(2).to_csv(index=False, lineterminator="\n"))
    write(raw / "sample_submission.csv", frame[["qa_id"] + CLASSES].head(2).to_csv(index=False, lineterminator="\n"))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    n = len(sample)
    noisy, good, ties = sample.copy(), truth.copy(), truth.copy()
    noisy[CLASSES] = rng.random((n, len(CLASSES)))
    good[CLASSES] = truth[CLASSES] + 0.5 * rng.random((n, len(CLASSES)))
    ties[CLASSES] = (truth[CLASSES] + rng.random((n, len(CLASSES)))).round(1)
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.iloc[rng.permutation(n)],
        "ties": ties,
        "perfect": truth,
        "reversed": truth.assign(**{c: 1 - truth[c] for c in CLASSES}),
        "quirk_column_order": good[CLASSES[::-1] + ["qa_id"]],
        "quirk_out_of_range": good.assign(**{c: 10 * good[c] - 5 for c in CLASSES}),
        "quirk_other_ids": good.sort_values("qa_id").assign(qa_id=np.arange(n) + 10**6),
        "quirk_words_ranked": good.assign(answer_helpful=np.where(truth["answer_helpful"] > 0.5, "yes", "no")),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.iloc[:1]]),
        "bad_missing_class": sample.drop(columns="answer_helpful"),
        "bad_extra_column": sample.assign(other=1),
        "bad_no_id": sample.rename(columns={"qa_id": "id"}),
        "bad_class_name": sample.rename(columns={"answer_helpful": "helpful"}),
    }
