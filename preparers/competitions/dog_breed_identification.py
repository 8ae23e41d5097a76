"""Dog Breed Identification: pictures of 120 breeds, one row in ten held back at random.

v2 is the same: the pictures come from a published, labelled corpus, and no other split would change that.
"""

from preparers.toolkit import Dataset, one_hot, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("labels.csv"), test=0.1)
    answers = one_hot(test, id="id", label="breed", classes=data.classes)
    uniform = dict.fromkeys(data.classes, 1 / len(data.classes))

    data.public.csv("labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", **uniform))
    data.public.files("train/{id}.jpg", train, source="train/{id}.jpg")
    data.public.files("test/{id}.jpg", test, source="train/{id}.jpg")
    data.private.csv("test.csv", answers)
