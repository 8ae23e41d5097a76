"""Paddy Doctor: photographs of rice with ten diseases, a quarter held back at random. v2 is the same."""

from preparers.toolkit import Dataset, disjoint, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), train=0.75)
    disjoint(train, test, "image_id")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "image_id", label=""))
    source = "train_images/{label}/{image_id}"
    data.public.files("train_images/{label}/{image_id}", train, source)
    data.public.files("test_images/{image_id}", test, source)
    data.private.csv("test.csv", test)
