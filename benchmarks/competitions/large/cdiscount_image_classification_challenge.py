"""Cdiscount: n products with one to four pictures of 2 to 8 kB."""

from pathlib import Path

import numpy as np

from benchmarks.competitions import kitdata

RAW_UNIT, RAW_FIRST = "products", 1_000
CATEGORIES = 50
PICTURES = 100


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    product = kitdata.module("cdiscount-image-classification-challenge").product
    pictures = [rng.bytes(int(rng.integers(2_000, 8_000))) for _ in range(PICTURES)]
    with (raw / "train.bson").open("wb") as out:
        for number in range(n):
            chosen = [pictures[k] for k in rng.integers(PICTURES, size=1 + number % 4)]
            out.write(product(number, chosen, 1_000_000_000 + int(rng.integers(CATEGORIES))))
    (raw / "category_names.csv").write_text("category_id,category_level1\n1000000000,BIO\n")
