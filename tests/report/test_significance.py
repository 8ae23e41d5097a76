"""The exact tests agree with counting every case."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.report.significance import sign_flip_p, sign_test_p

fractions = st.fractions(-1, 1, max_denominator=5)


@given(st.lists(fractions, max_size=9))
def test_the_sign_flip_test_counts_every_assignment_of_signs(differences):
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    assert sign_flip_p(differences) == pytest.approx(sum(one >= observed for one in sums) / len(sums))


@given(st.integers(0, 12), st.integers(0, 12))
def test_the_sign_test_is_the_binomial_one(wins, losses):
    total = wins + losses
    chance = [comb(total, k) / 2**total for k in range(total + 1)]
    tails = sum(p for k, p in enumerate(chance) if abs(k - total / 2) >= abs(wins - total / 2))
    assert sign_test_p(wins, losses) == pytest.approx(tails)


@given(st.lists(fractions, max_size=20))
def test_whose_side_a_difference_is_on_does_not_matter(differences):
    assert sign_flip_p(differences) == sign_flip_p([-value for value in differences])
    assert 0 < sign_flip_p(differences) <= 1


def test_seventy_five_competitions_are_counted_exactly():
    assert sign_flip_p([Fraction(1, 3)] * 75) == 2 / 2**75


def test_no_difference_is_no_evidence():
    assert sign_flip_p([]) == sign_flip_p([Fraction(0)] * 5) == sign_test_p(0, 0) == 1
