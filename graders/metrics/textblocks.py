"""Edit distances of very many short texts: Myers' bit-parallel algorithm, a step at a time for thousands of pairs.

A column of the usual table is a few 64-bit words for each pair, of which one bit tells where the distance rises from
one row to the next and one where it falls; words pass their last step on to the next one. Pairs of like length are
taken together. A pair with a long text is left to `edit_distance`, whose words are as long as the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WORD = 64
LONGEST = 16 * WORD
"""Of a pair whose longer text has more characters, the distance is computed on its own."""
PAIRS = 4096
MOST_BYTES = 1 << 27
"""For the table of which characters stand where; a block with many kinds of characters is halved until it fits."""
CODE_POINTS = 0x110000

Counts = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.intp]

_ONE, _EVERY = np.uint64(1), ~np.uint64(0)
_LAST = np.uint64(WORD - 1)


def block_distances(one: Sequence[str], other: Sequence[str]) -> Counts:
    """The distance of each pair of texts, none longer than LONGEST.

    >>> block_distances(["kitten", ""], ["sitting", "ab"]).tolist()
    [3, 2]
    """
    shorter = [min(pair, key=len) for pair in zip(one, other, strict=True)]
    longer = [max(pair[::-1], key=len) for pair in zip(one, other, strict=True)]
    heights, widths = _lengths(shorter), _lengths(longer)
    distances = widths.copy()
    order = np.lexsort((widths, -(-heights // WORD)))
    order = order[heights[order] > 0]
    for start in range(0, len(order), PAIRS):
        pairs = order[start : start + PAIRS]
        distances[pairs] = _block([shorter[pair] for pair in pairs], [longer[pair] for pair in pairs])
    return distances


def _block(shorter: list[str], longer: list[str]) -> Counts:
    heights, widths = _lengths(shorter), _lengths(longer)
    kinds, rows, columns = _as_codes(_matrix(shorter, heights), _matrix(longer, widths))
    words = int(-(-heights.max() // WORD))
    if kinds * words * len(shorter) * 8 > MOST_BYTES and len(shorter) > 1:
        half = len(shorter) // 2
        return np.concatenate([_block(shorter[:half], longer[:half]), _block(shorter[half:], longer[half:])])
    return _advance(_places(rows, heights, kinds, words), columns, heights, widths)


def _advance(places: Words, columns: Codes, heights: Counts, widths: Counts) -> Counts:
    """Go through the longer texts; `places` has a bit for each place of each character in the shorter ones."""
    words, _, pairs = places.shape
    flat = places.reshape(words, -1)
    rises, falls = np.full((words, pairs), _EVERY), np.zeros((words, pairs), dtype=np.uint64)
    bottom_word, bottom_bit = (heights - 1) // WORD, ((heights - 1) % WORD).astype(np.uint64)
    ends_here = [np.flatnonzero(bottom_word == word) for word in range(words)]
    bits = [bottom_bit[ends] for ends in ends_here]
    distance, each = heights.copy(), np.arange(pairs)
    for step, codes in enumerate(columns):
        up, down = np.full(pairs, _ONE), np.zeros(pairs, dtype=np.uint64)
        where = codes * pairs + each
        for word in range(words):
            rise, fall = rises[word], falls[word]
            equal = flat[word].take(where)
            vertical = equal | fall
            equal |= down
            horizontal = (((equal & rise) + rise) ^ rise) | equal
            more, less = fall | ~(horizontal | rise), rise & horizontal
            ends = ends_here[word]
            if len(ends):
                change = (more[ends] >> bits[word] & _ONE).view(np.int64) - (less[ends] >> bits[word] & _ONE).view(
                    np.int64
                )
                distance[ends] += change * (widths[ends] > step)
            next_up, next_down = more >> _LAST, less >> _LAST
            more, less = more << _ONE | up, less << _ONE | down
            rises[word], falls[word] = less | ~(vertical | more), more & vertical
            up, down = next_up, next_down
    return distance


def _places(rows: Codes, heights: Counts, kinds: int, words: int) -> Words:
    """A bit for each place of each character: (word, character, pair). Character 0 is one that stands nowhere."""
    pairs = rows.shape[1]
    places = np.zeros((words, kinds, pairs), dtype=np.uint64)
    each = np.arange(pairs)
    for place, codes in enumerate(rows):
        places[place // WORD, np.where(place < heights, codes, 0), each] |= np.uint64(1 << place % WORD)
    places[:, 0] = 0
    return places


def _as_codes(rows: npt.NDArray[np.uint32], columns: npt.NDArray[np.uint32]) -> tuple[int, Codes, Codes]:
    """Characters numbered from 1 if they are in a shorter text, else 0; and how many numbers there are."""
    number = np.zeros(CODE_POINTS, dtype=np.intp)
    number[rows] = 1
    known = np.flatnonzero(number)
    number[known] = np.arange(1, len(known) + 1)
    return len(known) + 1, number[rows], number[columns]


def _matrix(texts: list[str], lengths: Counts) -> npt.NDArray[np.uint32]:
    """The texts' characters, a column a text, each filled up with zeros."""
    matrix = np.zeros((len(texts), int(lengths.max())), dtype=np.uint32)
    is_text = np.arange(matrix.shape[1]) < lengths[:, None]
    matrix[is_text] = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return np.ascontiguousarray(matrix.T)


def _lengths(texts: list[str]) -> Counts:
    return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
