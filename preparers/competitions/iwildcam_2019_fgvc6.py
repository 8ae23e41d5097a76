"""iWildCam 2019: pictures of camera traps, one place in ten held back at random.

v1 writes the sample submission with a column of row numbers; v2 without.
"""

from preparers.toolkit import Dataset, disjoint, promise, split_groups


def prepare(data: Dataset) -> None:
    pictures = data.raw.csv("train.csv")
    archive = data.raw.unpack("train_images.zip")
    images, ids = len(archive.names("*.jpg")), pictures["id"].nunique()
    promise(images == ids, f"train_images.zip holds {images:,} pictures, and train.csv names {ids:,}.")
    train, test = split_groups(pictures, by="location", test=0.1, seed=8, keys="seen", rows="raw")
    disjoint(train, test, "id")
    answers = test[["id", "category_id"]].rename(columns={"id": "Id", "category_id": "Category"})

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="category_id"))
    data.public.csv("sample_submission.csv", answers.assign(Category=0), index=data.version == "v1")
    for part, rows in (("train", train), ("test", test)):
        data.public.zip(f"{part}_images.zip", rows.drop_duplicates("id"), "{id}.jpg", "{id}.jpg", origin=archive)
    data.private.csv("test.csv", test)
    data.private.csv("answers.csv", answers)
