"""Automated Essay Scoring 2.0: essays with scores from 1 to 6, one in ten held back at random. v2 is the same."""

import numpy as np

from preparers.toolkit import Dataset, disjoint, has_columns, sample, split_rows


def prepare(data: Dataset) -> None:
    essays = data.raw.csv("train.csv")
    has_columns(essays, "essay_id", "full_text", "score", name="train.csv")
    train, test = split_rows(essays, test=0.1)
    disjoint(train, test, "essay_id")
    guesses = np.random.RandomState(42).randint(1, 7, size=len(test))

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="score"))
    data.public.csv("sample_submission.csv", sample(test, "essay_id", score=guesses))
    data.private.csv("answers.csv", test)
