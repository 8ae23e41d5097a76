"""Distances of many texts at once are those of each pair on its own, whatever their lengths and characters."""

from __future__ import annotations

import random

import pytest

from graders.metrics import edit_distance, mean_edit_distance, textblocks
from graders.metrics.textblocks import LONGEST, WORD, block_distances

LENGTHS = [0, 1, 5, WORD - 1, WORD, WORD + 1, 2 * WORD, 2 * WORD + 1, 200, LONGEST]


def texts(alphabet: str, count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.choice(LENGTHS))) for _ in range(count)]


@pytest.mark.parametrize("alphabet", ["ab", "InChI=1S/CH,()-+", "é日本𝄞 \x00"])
def test_blocks_agree_with_single_pairs(alphabet: str) -> None:
    one, other = texts(alphabet, 120, seed=1), texts(alphabet, 120, seed=2)

    assert block_distances(one, other).tolist() == list(map(edit_distance, one, other))


def test_a_block_with_many_kinds_of_characters_is_halved_until_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textblocks, "MOST_BYTES", 1 << 12)
    one, other = texts("abcdefghij", 40, seed=1), texts("abcdefghij", 40, seed=2)

    assert block_distances(one, other).tolist() == list(map(edit_distance, one, other))


def test_more_pairs_than_a_block_holds_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textblocks, "PAIRS", 7)
    one, other = texts("abc", 50, seed=1), texts("abc", 50, seed=2)

    assert block_distances(one, other).tolist() == list(map(edit_distance, one, other))


def test_the_mean_counts_equal_short_and_very_long_texts_alike() -> None:
    long = "x" * (LONGEST + 10)

    assert mean_edit_distance(["same", "kitten", long, ""], ["same", "sitting", long[5:], ""]) == (0 + 3 + 5 + 0) / 4
