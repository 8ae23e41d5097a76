"""Collections of pictures in COCO's form, split category by category."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

from benchmarks.competitions.obvious.splitting import split

Pair = tuple[dict[str, Any], dict[str, Any]]
"""An annotation and its image."""
Split = dict[int, tuple[list[Pair], list[Pair]]]

PRETTY: dict[str, Any] = {"indent": 4, "sort_keys": True}


def split_categories(document: dict[str, Any], test_size: float, *, few: int) -> Split:
    """The pairs of each category as train and test part; of `few` or fewer the last is test, unless it is the only."""
    pairs: dict[int, list[Pair]] = defaultdict(list)
    for annotation, image in zip(document["annotations"], document["images"], strict=True):
        pairs[annotation["category_id"]].append((annotation, image))
    parts: Split = {}
    for category, some in pairs.items():
        if len(some) == 1 and few:
            parts[category] = (some, [])
        elif len(some) <= few:
            parts[category] = (some[:-1], some[-1:])
        else:
            parts[category] = split(some, test_size=test_size)
    return parts


def train_pairs(parts: Split) -> list[Pair]:
    """Category by category."""
    return [pair for train, _ in parts.values() for pair in train]


def shuffled_test_pairs(parts: Split) -> list[Pair]:
    """In an order that tells nothing."""
    pairs = [pair for _, test in parts.values() for pair in test]
    random.Random(0).shuffle(pairs)
    return pairs


def with_pairs(document: dict[str, Any], pairs: list[Pair]) -> dict[str, Any]:
    """The document with other pictures."""
    return document | {"annotations": [one for one, _ in pairs], "images": [image for _, image in pairs]}
