"""APTOS 2019: photographs of retinas with five grades of a disease, one in ten held back at random.

Some photographs are there under several ids: v1 may put copies of one on both sides, v2 keeps them together.
"""

from preparers.toolkit import Dataset, disjoint, expand, number_contents, sample, split_groups, split_rows

PHOTO = "train_images/{id_code}.png"


def prepare(data: Dataset) -> None:
    photos = data.raw.csv("train.csv")
    if data.version == "v1":
        train, test = split_rows(photos, test=0.1)
    else:
        contents = photos.assign(content=number_contents(data.raw, expand(PHOTO, photos)))
        train, test = split_groups(contents, by="content", test=0.1, keys="seen", rows="split")
    disjoint(train, test, "id_code")

    data.public.csv("train.csv", train[["id_code", "diagnosis"]])
    data.public.csv("test.csv", test[["id_code"]])
    data.public.csv("sample_submission.csv", sample(test, "id_code", diagnosis=0))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}_images/{{id_code}}.png", rows, PHOTO)
    data.private.csv("test.csv", test[["id_code", "diagnosis"]])
