"""Spaceship Titanic: passengers, one in ten held back at random.

v1 splits rows, so that members of a travel group are on both sides; v2 keeps groups, told by the first part of the id,
whole.
"""

from preparers.toolkit import Dataset, sample, split_groups, split_rows


def prepare(data: Dataset) -> None:
    passengers = data.raw.csv("train.csv")
    if data.version == "v1":
        train, test = split_rows(passengers, test=0.1)
    else:
        grouped = passengers.assign(group=passengers["PassengerId"].str.partition("_")[0])
        parts = split_groups(grouped, by="group", test=0.1, keys="seen", rows="split")
        train, test = (part.drop(columns="group") for part in parts)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="Transported"))
    data.public.csv("sample_submission.csv", sample(test, "PassengerId", Transported=False))
    data.private.csv("test.csv", test)
