"""Kuzushiji Recognition: pages of old Japanese books with boxed characters, one page in ten held back at random.

v1 puts pages of one book on both sides; v2 splits by book, the part of the page's name before the first `_` or `-`.
A test page without characters, which stopped the original preparation, has an empty gold label.
"""

import pandas as pd

from preparers.toolkit import Dataset, expand, promise, sample, split_groups, split_rows

BOX = 5
"""Pieces of a box: char, X, Y, Width, Height."""


def prepare(data: Dataset) -> None:
    pages = data.raw.csv("train.csv")
    if data.version == "v1":
        train, test = split_rows(pages, test=0.1)
    else:
        books = pages.assign(book=pages["image_id"].str.split(r"[_-]", n=1, regex=True).str[0])
        parts = split_groups(books, by="book", test=0.1, keys="sorted", rows="raw")
        train, test = (part.drop(columns="book") for part in parts)

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "image_id", labels="U+003F 1 1 U+FF2F 2 2"))
    data.public.copy("unicode_translation.csv")
    images = data.raw.unpack("train_images.zip")
    for part, rows in (("train", train), ("test", test)):
        names = expand("{image_id}.jpg", rows)
        data.public.archive(f"{part}_images.zip", zip(names, names, strict=True), origin=images, compress=False)
    data.private.csv("test.csv", test)
    data.private.csv("gold_submission.csv", test.assign(labels=_points(test["labels"])))


def _points(labels: "pd.Series[str]") -> list[str]:
    """A point in each box, one pixel from its corner."""
    points = []
    for page in labels.fillna(""):
        pieces = page.split()
        promise(len(pieces) % BOX == 0, f"A page has {len(pieces):,} label pieces, not a multiple of {BOX}.")
        boxes = zip(*(pieces[place::BOX] for place in range(3)), strict=True)
        points.append(" ".join(f"{char} {int(x) + 1} {int(y) + 1}" for char, x, y in boxes))
    return points
