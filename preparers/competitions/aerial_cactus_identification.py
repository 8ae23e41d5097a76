"""Aerial Cactus Identification: small aerial pictures, 19 in a hundred held back at random. v2 is the same."""

from preparers.toolkit import Dataset, sample, split_rows, unique


def prepare(data: Dataset) -> None:
    labels = data.raw.csv("train.csv")
    unique(labels, "id", name="train.csv")
    train, test = split_rows(labels, test=0.19)
    pictures = data.raw.unpack("train.zip")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", has_cactus=0.5))
    for name, rows in (("train.zip", train), ("test.zip", test)):
        data.public.zip(name, rows, member="{id}", source="train/{id}", origin=pictures)
    data.private.csv("test.csv", test)
