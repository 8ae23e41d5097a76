"""Plant Seedlings: photographs of twelve species in folders, 14 % held back at random.

v2 is the same: plants were photographed at several stages, but nothing tells which pictures show one plant.
"""

import pandas as pd

from preparers.toolkit import Dataset, disjoint, sample, split_rows


def prepare(data: Dataset) -> None:
    paths = pd.Series(data.raw.names("train/*/*.png"), dtype=object).str.split("/")
    pictures = pd.DataFrame({"file": paths.str[2], "species": paths.str[1]}).sort_values(["species", "file"])
    train, test = split_rows(pictures, test=0.14)
    disjoint(train, test, "file")

    source = "train/{species}/{file}"
    data.public.files("train/{species}/{file}", train, source)
    data.public.files("test/{file}", test, source)
    data.public.csv("sample_submission.csv", sample(test, "file", species="Sugar beet"))
    data.private.csv("answers.csv", test)
