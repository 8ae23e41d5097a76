"""Hotel-ID 2021: photographs of hotel rooms, one in ten held back at random.

v1 splits pictures; v2 keeps those of one upload (same hotel, same time) together. Hotels with one picture can fall
wholly into the test part, in both.
"""

from preparers.toolkit import Dataset, disjoint, sample, split_groups, split_rows

LISTED_TWICE = "ce27d36c9147cc19.jpg"
GUESSES = "36363 53586 18807 64314 60181"


def prepare(data: Dataset) -> None:
    pictures = data.raw.csv("train.csv")
    pictures = pictures[pictures["image"] != LISTED_TWICE]
    if data.version == "v1":
        train, test = split_rows(pictures, test=0.1)
    else:
        upload = pictures.groupby(["hotel_id", "timestamp"], dropna=False, sort=False).ngroup()
        parts = split_groups(pictures.assign(upload=upload), by="upload", test=0.1, keys="seen", rows="split")
        train, test = (part.drop(columns="upload") for part in parts)
    disjoint(train, test, "image")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "image", hotel_id=GUESSES))
    source = "train_images/{chain}/{image}"
    data.public.files("train_images/{chain}/{image}", train, source)
    data.public.files("test_images/{image}", test, source)
    data.private.csv("test.csv", test)
