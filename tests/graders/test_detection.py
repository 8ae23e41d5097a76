"""Matching and average precision, held against plain loops over small random cases."""

from __future__ import annotations

import numpy as np
import pytest

from graders.metrics.detection import (
    corner_iou_scores,
    envelope_precision_scores,
    levels_precision_score,
    match_by_overlap,
    match_greedily,
    pairs_within,
)


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_pairs_are_those_of_equal_codes_in_order_whatever_the_block(most: int) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 6, 30), rng.integers(0, 6, 25)

    blocks = list(pairs_within(left, right, most=most))

    found = [pair for a, b in blocks for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert found == [(i, j) for i in range(30) for j in range(25) if left[i] == right[j]]
    assert all(len(a) <= most or len(set(a.tolist())) == 1 for a, _ in blocks)


def test_a_borrower_finds_and_leaves_free() -> None:
    seekers, wanted = np.array([3, 5, 8]), np.array([0, 0, 0])
    assert match_greedily(seekers, wanted) == {3: 0}
    assert match_greedily(seekers, wanted, borrower=3) == {3: 0, 5: 0}


def test_each_box_in_turn_takes_the_free_one_that_it_overlaps_most() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        codes, true_codes = np.sort(rng.integers(0, 4, 20)), rng.integers(0, 4, 12)
        overlap = rng.integers(0, 6, (20, 12)) / 5  # with ties

        matches = match_by_overlap(codes, true_codes, lambda a, b, o=overlap: o[a, b], lambda o: o > 0.3)

        expected: dict[int, int] = {}
        for box in range(20):
            free = [k for k in range(12) if true_codes[k] == codes[box] and k not in expected.values()]
            best = max(free, key=lambda k, box=box, o=overlap: o[box, k], default=None)
            if best is not None and overlap[box, best] > 0.3:
                expected[box] = best
        assert matches == expected


def test_boxes_overlap_by_their_corners_and_those_without_an_area_not_at_all() -> None:
    boxes = np.array([[0, 0, 4, 4], [0, 0, 4, 4], [4, 4, 0, 0], [1, 1, 1, 1], [0, 0, np.nan, 4]], dtype=float)
    answers = np.array([[0, 0, 4, 4], [2, 0, 6, 4], [0, 0, 4, 4], [1, 1, 1, 1], [0, 0, 4, 4]], dtype=float)
    assert corner_iou_scores(boxes, answers).tolist() == pytest.approx([1, 1 / 3, 0, 0, 0])


def area_under_the_envelope(hits: np.ndarray, truths: int) -> float:
    found = np.cumsum(hits)
    recall = np.concatenate([[0], found / truths, [1]])
    precision = np.concatenate([[0], found / np.arange(1, len(hits) + 1), [0]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float((np.diff(recall) * precision[1:]).sum())


def test_average_precision_of_many_groups_is_the_area_under_each_envelope() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        group = np.sort(rng.integers(0, 5, rng.integers(0, 40)))
        hits = rng.random(len(group)) < 0.5
        truths = np.bincount(group[hits], minlength=6) + rng.integers(1, 4, 6)

        scores = envelope_precision_scores(hits, group, truths)

        expected = [area_under_the_envelope(hits[group == k], int(truths[k])) for k in range(6)]
        assert scores == pytest.approx(expected)


def test_coco_precision_reads_the_curve_at_101_levels() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        hits = rng.random(rng.integers(0, 40)) < 0.5
        truths = int(hits.sum() + rng.integers(1, 4))
        found, seen = np.cumsum(hits), np.arange(1, len(hits) + 1)
        curve = [(f / truths, f / n) for f, n in zip(found, seen, strict=True)]
        levels = [max((p for r, p in curve if r >= level), default=0.0) for level in np.linspace(0, 1, 101)]

        assert levels_precision_score(hits, truths) == pytest.approx(np.mean(levels))
