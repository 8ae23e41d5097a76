"""Dogs vs. Cats Redux: pictures whose names tell the animal, one in ten held back at random and numbered.

v1 gives every picture twice, in folders and in archives; v2 gives folders only.
"""

from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, sample, split_items


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("train.zip")
    train_names, test_names = split_items(archive.names("train/*.jpg"), test=0.1)
    train = pd.DataFrame(
        {"source": train_names, "animal": ["cat" if "cat" in _file(n) else "dog" for n in train_names]}
    )
    train = train.assign(number=train.groupby("animal").cumcount())
    test = pd.DataFrame({"source": test_names, "label": [int("dog" in _file(name)) for name in test_names]})
    test = test.assign(id=range(1, len(test) + 1))

    for part, rows, name in (("train", train, "{animal}.{number}.jpg"), ("test", test, "{id}.jpg")):
        data.public.files(f"{part}/{name}", rows, source="{source}", origin=archive)
        if data.version == "v1":
            made = data.public.contents
            data.public.zip(f"{part}.zip", rows, member=name, source=f"{part}/{name}", origin=made)
    data.public.csv("sample_submission.csv", sample(test, "id", label=0.5))
    data.private.csv("answers.csv", test[["id", "label"]])


def _file(name: str) -> str:
    return PurePosixPath(name).name
