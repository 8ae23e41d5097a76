"""Histopathologic Cancer Detection: patches of slides; as large a share is held back as Kaggle's test set had.

v2 is the same: patches of one slide fall on both sides, but the data do not tell which patches those are.
"""

from preparers.toolkit import Dataset, sample, split_items, unique


def prepare(data: Dataset) -> None:
    labels = data.raw.csv("train_labels.csv")
    unique(labels, "id", name="train_labels.csv")
    kaggles = len(data.raw.names("test/*.tif"))
    _, test_ids = split_items(labels["id"].tolist(), test=kaggles / (len(labels) + kaggles))
    is_test = labels["id"].isin(test_ids)
    train, test = labels[~is_test], labels[is_test]  # in the order of the raw file, not of the split

    data.public.csv("train_labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", label=0))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}/{{id}}.tif", rows, source="train/{id}.tif")
    data.private.csv("answers.csv", test)
