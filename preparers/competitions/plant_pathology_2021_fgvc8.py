"""Plant Pathology 2021: photographs of apple leaves with their diseases, one in five held back at random.

Some photographs are there under several names: v1 may put copies of one on both sides, v2 keeps them together.
"""

from preparers.toolkit import Dataset, disjoint, expand, number_contents, split_groups, split_rows

PHOTO = "train_images/{image}"


def prepare(data: Dataset) -> None:
    photos = data.raw.csv("train.csv")
    if data.version == "v1":
        train, test = split_rows(photos, test=0.2)
    else:
        contents = photos.assign(content=number_contents(data.raw, expand(PHOTO, photos)))
        parts = split_groups(contents, by="content", test=0.2, keys="seen", rows="split")
        train, test = (part.drop(columns="content") for part in parts)
    disjoint(train, test, "image")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", test.assign(labels="healthy"))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}_images/{{image}}", rows, PHOTO)
    data.private.csv("answers.csv", test)
