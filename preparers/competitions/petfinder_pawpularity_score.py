"""PetFinder Pawpularity: how appealing a pet's photo is, one row in ten held back at random. v2 is the same."""

import numpy as np

from preparers.toolkit import Dataset, promise, sample, split_rows, unique

TARGET = "Pawpularity"


def prepare(data: Dataset) -> None:
    pets = data.raw.csv("train.csv")
    promise(pets.columns[-1] == TARGET, f"The last column of train.csv is {pets.columns[-1]!r}, not {TARGET!r}.")
    unique(pets, "Id", name="train.csv")
    train, test = split_rows(pets, test=0.1)
    guesses = np.random.default_rng(0).uniform(1, 100, len(test)).round(2)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns=TARGET))
    data.public.csv("sample_submission.csv", sample(test, "Id", **{TARGET: guesses}))
    data.public.files("train/{Id}.jpg", train, source="train/{Id}.jpg")
    data.public.files("test/{Id}.jpg", test, source="train/{Id}.jpg")
    data.private.csv("test.csv", test)
