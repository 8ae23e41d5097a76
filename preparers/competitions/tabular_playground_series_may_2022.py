"""Tabular Playground May 2022: 100,000 rows held back at random, ids counted anew. v2 is the same."""

from preparers.toolkit import Dataset, renumber, sample, split_rows

TEST_ROWS = 100_000


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=TEST_ROWS)
    train, test = renumber(train, "id"), renumber(test, "id", start=len(train))

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="target"))
    data.public.csv("sample_submission.csv", sample(test, "id", target=0.5))
    data.private.csv("test.csv", test)
    data.private.csv("gold_submission.csv", test[["id", "target"]])
