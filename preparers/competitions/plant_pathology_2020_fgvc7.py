"""Plant Pathology 2020: pictures of leaves, one in ten held back at random, ids counted anew. v2 is the same."""

from preparers.toolkit import Dataset, promise, renumber, sample, split_rows, unique

CONDITIONS = ["healthy", "multiple_diseases", "rust", "scab"]


def prepare(data: Dataset) -> None:
    leaves = data.raw.csv("train.csv")
    unique(leaves, "image_id", name="train.csv")
    promise(leaves["image_id"].str.startswith("Train_").all(), "Some ids of train.csv do not begin with Train_.")
    old = leaves.assign(old_id=leaves["image_id"])
    train, test = (
        renumber(part, "image_id", f"{name}_{{}}")
        for part, name in zip(split_rows(old, test=0.1), ("Train", "Test"), strict=True)
    )

    for rows in (train, test):
        data.public.files("images/{image_id}.jpg", rows, source="images/{old_id}.jpg")
    data.public.csv("train.csv", train[leaves.columns])
    data.public.csv("test.csv", test[["image_id"]])
    data.public.csv("sample_submission.csv", sample(test, "image_id", **dict.fromkeys(CONDITIONS, 0.25)))
    data.private.csv("test.csv", test[leaves.columns])
