"""Playground S3E18: features of molecules, one in ten held back at random. v2 is the same."""

from preparers.toolkit import Dataset, promise, sample, split_rows

ENZYMES = [f"EC{k}" for k in range(1, 7)]


def prepare(data: Dataset) -> None:
    molecules = data.raw.csv("train.csv")
    hidden = molecules.drop(columns=ENZYMES).shape[1]
    promise((hidden, molecules.shape[1]) == (32, 38), f"train.csv has {molecules.shape[1]} columns; expected 38.")
    train, test = split_rows(molecules, test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns=ENZYMES))
    data.public.csv("sample_submission.csv", sample(test, "id", EC1=0.5, EC2=0.5))
    data.private.csv("test.csv", test)
