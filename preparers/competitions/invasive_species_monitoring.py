"""Invasive Species Monitoring: pictures of a forest, one in five held back at random.

v1's archives of pictures are empty; those of v2 hold them, and a plain sample lies beside its archive.
"""

from preparers.toolkit import Dataset, expand, promise, sample, split_rows, unique
from preparers.toolkit.archives import names_in_7z


def prepare(data: Dataset) -> None:
    labels = data.raw.unpack("train_labels.csv.zip").csv("train_labels.csv")
    unique(labels, "name", name="train_labels.csv")
    missing = set(expand("train/{name}.jpg", labels)) - set(names_in_7z(data.raw.path("train.7z")))
    promise(not missing, f"train.7z lacks {len(missing):,} of the pictures, such as {min(missing, default='')}.")
    train, test = split_rows(labels, test=0.2)
    blank = sample(test, "name", invasive=0.5)

    pictures = data.raw.unpack("train.7z") if data.version == "v2" else data.raw
    for part, rows in (("train", train), ("test", test)):
        shown = rows if data.version == "v2" else rows.head(0)
        members = zip(expand(f"{part}/{{name}}.jpg", shown), expand("train/{name}.jpg", shown), strict=True)
        data.public.archive(f"{part}.7z", members, origin=pictures)
    for name, table in (("train_labels.csv", train), ("sample_submission.csv", blank)):
        data.scratch.csv(name, table)
        data.public.pack(f"{name}.zip", name, origin=data.scratch.contents)
    if data.version == "v2":
        data.public.csv("sample_submission.csv", blank)
    data.private.csv("sample_submission.csv", blank)
    data.private.csv("answers.csv", test)
