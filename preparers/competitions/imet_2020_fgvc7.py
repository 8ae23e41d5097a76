"""iMet Collection 2020: photographs of works of art with their attributes, 15 % held back at random. v2 is the same."""

from preparers.toolkit import Dataset, disjoint, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.15)
    disjoint(train, test, "id")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", test.assign(attribute_ids="0 1 2"))
    data.public.copy("labels.csv")
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}/{{id}}.png", rows, "train/{id}.png")
    data.private.csv("answers.csv", test)
