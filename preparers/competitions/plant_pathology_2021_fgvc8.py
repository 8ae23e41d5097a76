"""Plant Pathology 2021: pictures of apple leaves with their diseases, one in five held back at random. v2: the same."""

from preparers.toolkit import Dataset, disjoint, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.2)
    disjoint(train, test, "image")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", test.assign(labels="healthy"))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}_images/{{image}}", rows, "train_images/{image}")
    data.private.csv("answers.csv", test)
