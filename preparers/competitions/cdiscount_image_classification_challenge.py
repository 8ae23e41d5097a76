"""Cdiscount: products with pictures in one BSON file of 58 GB, one product in ten held back at random. v2 is the same.

The split is not stratified: with more than 5,000 categories, rare ones can be in the test part and not in train.
Documents are copied as they are, which for Kaggle's is what decoding and encoding them would give.
"""

import mmap

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, sample, split_positions, unique
from preparers.toolkit.bson import document_starts, find_elements, whole_number, without

TOP_CATEGORY = 1000010653
EXAMPLES = 100

Places = npt.NDArray[np.int64]


def prepare(data: Dataset) -> None:
    with data.raw.open("train.bson") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        starts = np.fromiter(document_starts(content), dtype=np.int64)
        products = _read_products(content, starts)
        unique(products, "_id", name="train.bson")
        _, held_back = split_positions(len(products), test=0.1)
        is_test = np.zeros(len(products), dtype=np.bool_)
        is_test[held_back] = True
        _write_train(data, content, starts, ~is_test)
        _write_test(data, content, starts[:-1][is_test])

    answers = products[is_test].sort_values("_id")
    data.public.csv("sample_submission.csv", sample(answers, "_id", category_id=TOP_CATEGORY))
    data.public.copy("category_names.csv")
    data.private.csv("answers.csv", answers)


def _read_products(content: mmap.mmap, starts: Places) -> pd.DataFrame:
    numbers = np.empty((len(starts) - 1, 2), dtype=np.int64)
    for row, start in enumerate(starts[:-1].tolist()):
        for place, element in enumerate(find_elements(content, start, b"_id", b"category_id")):
            numbers[row, place] = whole_number(content, element)
    return pd.DataFrame(numbers, columns=["_id", "category_id"])


def _write_train(data: Dataset, content: mmap.mmap, starts: Places, is_train: npt.NDArray[np.bool_]) -> None:
    """The train documents in the order of the file, neighbours in one piece, and the first hundred as examples."""
    changes = np.flatnonzero(np.diff(is_train, prepend=False, append=False))
    with data.public.path("train.bson").open("wb") as out, memoryview(content) as pages:
        for first, after in changes.reshape(-1, 2).tolist():
            out.write(pages[starts[first] : starts[after]])
    examples = np.flatnonzero(is_train)[:EXAMPLES]
    with data.public.path("train_example.bson").open("wb") as out:
        out.writelines(content[starts[row] : starts[row + 1]] for row in examples.tolist())


def _write_test(data: Dataset, content: mmap.mmap, starts: Places) -> None:
    with data.public.path("test.bson").open("wb") as out:
        for start in starts.tolist():
            [category] = find_elements(content, start, b"category_id")
            out.write(without(content, start, category))
