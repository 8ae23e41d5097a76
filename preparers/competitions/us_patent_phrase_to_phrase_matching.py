"""U.S. Patent Phrase Matching: how alike two phrases are, one row in ten held back at random. v2 is the same."""

from preparers.toolkit import Dataset, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="score"))
    data.public.csv("sample_submission.csv", sample(test, "id", score=0))
    data.private.csv("test.csv", test)
