"""APTOS 2019: photographs of retinas with five grades of a disease, one in ten held back at random.

v2 is the same.
"""

from preparers.toolkit import Dataset, disjoint, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.1)
    disjoint(train, test, "id_code")

    data.public.csv("train.csv", train[["id_code", "diagnosis"]])
    data.public.csv("test.csv", test[["id_code"]])
    data.public.csv("sample_submission.csv", sample(test, "id_code", diagnosis=0))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}_images/{{id_code}}.png", rows, "train_images/{id_code}.png")
    data.private.csv("test.csv", test[["id_code", "diagnosis"]])
