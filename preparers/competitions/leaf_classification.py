"""Leaf Classification: leaves of 99 species, one row in ten held back at random. v2 is the same."""

from preparers.toolkit import Dataset, one_hot, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.unpack("train.csv.zip").csv("train.csv"), test=0.1)
    uniform = dict.fromkeys(data.classes, 1 / len(data.classes))
    pictures = data.raw.unpack("images.zip")

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="species"))
    data.public.csv("sample_submission.csv", sample(test, "id", **uniform))
    for rows in (train, test):
        data.public.files("images/{id}.jpg", rows, source="images/{id}.jpg", origin=pictures)
    data.private.csv("test.csv", one_hot(test, id="id", label="species", classes=data.classes))
    data.private.make_folder("images")
