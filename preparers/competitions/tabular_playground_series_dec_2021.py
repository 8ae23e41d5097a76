"""Tabular Playground, December 2021: patches of forest with seven cover types, one in ten held back at random.

v2 is the same. Cover type 5 has a single row, so that it is missing in train or in test.
"""

from preparers.toolkit import Dataset, disjoint, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.1)
    disjoint(train, test, "Id")

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="Cover_Type"))
    data.public.csv("sample_submission.csv", sample(test, "Id", Cover_Type=2))
    data.private.csv("test.csv", test)
