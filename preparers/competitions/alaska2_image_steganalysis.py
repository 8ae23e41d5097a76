"""ALASKA2: photographs with and without hidden messages; 5,000 covers are held back, each shown in one form.

For half of them, as a coin falls, that is the picture itself, for the others one of three algorithms' version of it.
v2 is the same: the pictures are published with their labels, and no other split would change that.
"""

import random
from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, sample, split_items

COVER, ALGORITHMS = "Cover", ["JMiPOD", "JUNIWARD", "UERD"]
TEST_PICTURES = 5000


def prepare(data: Dataset) -> None:
    covers = [PurePosixPath(path).name for path in data.raw.names(f"{COVER}/*.jpg")]
    train_names, test_names = split_items(covers, test=TEST_PICTURES, seed=42)
    train = pd.DataFrame({"name": train_names, "number": range(1, len(train_names) + 1)})
    test = _draw(test_names)

    for folder in (COVER, *ALGORITHMS):
        data.public.files(f"{folder}/{{number:05d}}.jpg", train, source=f"{folder}/{{name}}")
    data.public.files("Test/{Id}", test, source="{folder}/{name}")
    data.public.csv("sample_submission.csv", sample(test, "Id", Label=0))
    data.private.csv("test.csv", test[["Id", "Label"]])


def _draw(names: list[str]) -> pd.DataFrame:
    """The test pictures in a new order, each with the folder that it is taken from."""
    chance = random.Random(0)
    shuffled = names.copy()
    chance.shuffle(shuffled)
    folders = [COVER if chance.choice([True, False]) else chance.choice(ALGORITHMS) for _ in shuffled]
    ids = [f"{number:04d}.jpg" for number in range(1, len(shuffled) + 1)]
    labels = [int(folder != COVER) for folder in folders]
    return pd.DataFrame({"Id": ids, "Label": labels, "name": shuffled, "folder": folders})
