"""Spooky Author Identification: sentences of three authors, one in ten held back at random. v2 is the same."""

from preparers.toolkit import Dataset, one_hot, sample, split_rows

SHARES = {"EAP": 0.403493538995863, "HPL": 0.287808366106543, "MWS": 0.308698094897594}


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.unpack("train.zip").csv("train.csv"), test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="author"))
    data.public.csv("sample_submission.csv", sample(test, "id", **SHARES))
    data.private.csv("test.csv", one_hot(test, id="id", label="author", classes=list(SHARES)))
