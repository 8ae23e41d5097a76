"""Denoising Dirty Documents: scanned pages with stains and their clean originals, one page in five held back at random.

v1 splits page by page, though several dirty pages may have the same clean one. v2 keeps all pages of a clean page on
one side.
"""

from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from preparers.toolkit import Dataset, Origin, promise, split_groups, split_items

GREY_LEVELS = np.array([repr(level / 255.0) for level in range(256)], dtype=object)
"""How each grey level is written."""

Texts = npt.NDArray[Any]


def prepare(data: Dataset) -> None:
    dirty, clean = data.raw.unpack("train.zip"), data.raw.unpack("train_cleaned.zip")
    pages = [PurePosixPath(name).name for name in dirty.names("train/*.png")]
    originals = [PurePosixPath(name).name for name in clean.names("train_cleaned/*.png")]
    promise(pages == originals, "train.zip and train_cleaned.zip must hold pages of the same names.")
    test = _choose_test(pages, clean, by_original=data.version == "v2")

    moved = {f"train/{page}": f"test/{page}" for page in test}
    data.public.take([(moved.get(name, name), name) for name in dirty.names()], origin=dirty)
    kept = [name for name in clean.names() if PurePosixPath(name).name not in test]
    data.public.take(zip(kept, kept, strict=True), origin=clean)
    _write_answers(data, clean, sorted(test))


def _choose_test(pages: list[str], clean: Origin, *, by_original: bool) -> set[str]:
    if not by_original:
        return set(split_items(pages, test=0.2)[1])
    originals = [sha256(_grey_levels(clean, page).tobytes()).hexdigest() for page in pages]
    table = pd.DataFrame({"page": pages, "original": originals})
    return set(split_groups(table, by="original", test=0.2, keys="seen", rows="raw")[1]["page"])


def _grey_levels(clean: Origin, page: str) -> npt.NDArray[np.uint8]:
    with clean.open(f"train_cleaned/{page}") as file, Image.open(file) as picture:
        return np.asarray(picture.convert("L"))


def _write_answers(data: Dataset, clean: Origin, pages: list[str]) -> None:
    """A line for each pixel, page by page: millions, of which no more than a page's are held in memory."""
    with (
        data.private.path("answers.csv").open("w", encoding="utf-8", newline="") as answers,
        data.public.path("sampleSubmission.csv").open("w", encoding="utf-8", newline="") as guesses,
    ):
        answers.write("id,value\n")
        guesses.write("id,value\n")
        for page in pages:
            levels = _grey_levels(clean, page)
            ids = _ids(page.removesuffix(".png"), levels.shape)
            answers.writelines((ids + "," + GREY_LEVELS[levels] + "\n").ravel())
            guesses.writelines((ids + ",1\n").ravel())


def _ids(page: str, shape: tuple[int, ...]) -> Texts:
    """`<page>_<row>_<column>` for each pixel, counted from 1."""
    rows = np.array([f"{page}_{row}_" for row in range(1, shape[0] + 1)], dtype=object)
    columns = np.array([f"{column}" for column in range(1, shape[1] + 1)], dtype=object)
    ids: Texts = rows[:, None] + columns[None, :]
    return ids
