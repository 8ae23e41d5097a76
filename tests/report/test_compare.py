"""Two experiments beside each other: paired by competition and seed, or not compared at all."""

import pytest

import catalog
from orchestrator.report.compare import CompareError, compare

LOW = catalog.ids("low")
SPOOKY, CACTUS, PIZZA = "spooky-author-identification", "aerial-cactus-identification", "random-acts-of-pizza"


@pytest.fixture
def pair(make_lab):
    """Makes experiments a and b on the same competitions; `b` is the spec of b where it differs."""

    def make(competitions=None, seeds=3, **b):
        wanted = competitions or {"split": "low"}
        first = make_lab(wanted, name="a", seeds=seeds, uid="aaaaaaaa")
        return first, make_lab(wanted, **{"name": "b", "seeds": seeds, "uid": "bbbbbbbb", **b})

    return make


def fill(lab, medals):
    """So many medals in each seed, on the first competitions."""
    for seed, count in enumerate(medals):
        for place, id in enumerate(LOW):
            lines = catalog.load(id).medals
            lab.graded(id, seed, lines.gold if place < count else lines.median)


def test_the_difference_is_taken_seed_by_seed(pair):
    a, b = pair()
    fill(a, [10, 10, 10])
    fill(b, [12, 14, 13])
    (split,) = compare(a.result(), b.result()).splits
    assert (split.split, split.seeds, split.competitions) == ("low", (0, 1, 2), 22)
    assert (split.a, split.b) == (pytest.approx(1000 / 22), pytest.approx(1300 / 22))
    assert split.difference.mean == pytest.approx(300 / 22)
    assert split.difference.sem == pytest.approx(100 / 22 * 1 / 3**0.5)
    assert split.difference.low95 == pytest.approx(split.difference.mean - 1.96 * split.difference.sem)


def test_turning_the_two_over_turns_the_sign(pair):
    a, b = pair()
    fill(a, [10, 9, 12])
    fill(b, [12, 14, 13])
    there, back = compare(a.result(), b.result()), compare(b.result(), a.result())
    assert there.splits[0].difference.mean == -back.splits[0].difference.mean
    assert there.medal_p == back.medal_p
    assert (there.better_a, there.better_b) == (back.better_b, back.better_a)


def test_equal_experiments_do_not_differ(pair):
    a, b = pair()
    fill(a, [10, 9, 12])
    fill(b, [10, 9, 12])
    same = compare(a.result(), b.result())
    assert (same.splits[0].difference.mean, same.medal_p, same.score_p, same.warnings) == (0, 1, 1, ())


def test_medals_gained_and_lost_are_told_by_competition(pair):
    a, b = pair({"ids": [SPOOKY]}, seeds=3)
    for seed, (left, right) in enumerate([(0.1, 0.9), (0.9, 0.1), (0.9, 0.2)]):
        a.graded(SPOOKY, seed, left)
        b.graded(SPOOKY, seed, right)
    (one,) = compare(a.result(), b.result()).competitions
    assert (one.pairs, one.medals_a, one.medals_b, one.gained, one.lost) == (3, 1, 2, 2, 1)


def test_scores_are_compared_in_the_metrics_direction(pair):
    a, b = pair({"ids": [SPOOKY, CACTUS]}, seeds=1)
    for lab, spooky, cactus in ((a, 0.4, 0.98), (b, 0.3, 0.97)):
        lab.graded(SPOOKY, 0, spooky)
        lab.graded(CACTUS, 0, cactus)
    got = compare(a.result(), b.result())
    assert {one.competition: one.better for one in got.competitions} == {SPOOKY: "B", CACTUS: "A"}
    assert (got.better_a, got.better_b, got.score_p) == (1, 1, 1)


def test_only_what_both_have_is_compared_and_the_rest_is_counted(pair):
    a, b = pair({"ids": [SPOOKY, CACTUS]}, seeds=2)
    for lab in (a, b):
        for seed in (0, 1):
            lab.graded(SPOOKY, seed, 0.2)
            lab.graded(CACTUS, seed, 1.0)
    b.store.delete(b.keys.run_report(CACTUS, 1))
    got = compare(a.result(), b.result())
    assert got.pairs == 3
    assert got.splits[0].seeds == (0,)
    assert "2 runs without a counterpart left out." in got.warnings


def test_a_split_without_a_seed_complete_in_both_has_no_difference(pair):
    a, b = pair({"ids": [SPOOKY, CACTUS]}, seeds=1)
    for lab, id, score in ((a, SPOOKY, 0.2), (a, CACTUS, 1.0), (b, SPOOKY, 0.2)):
        lab.graded(id, 0, score)
    (split,) = compare(a.result(), b.result()).splits
    assert (split.seeds, split.difference) == ((), None)


def test_a_run_without_a_valid_submission_pairs_as_one_without_a_medal(pair):
    a, b = pair({"ids": [SPOOKY]}, seeds=1)
    a.empty(SPOOKY, 0)
    b.graded(SPOOKY, 0, 0.0)
    (one,) = compare(a.result(), b.result()).competitions
    assert (one.gained, one.score_a, one.score_b, one.better) == (1, None, None, None)


@pytest.mark.parametrize(
    "spec, says",
    [
        ({"budget": {"wallClock": "12h"}}, "Different time of a run: a 24 h, b 12 h."),
        ({"benchmark": "v2"}, "Different benchmark version: a v1, b v2."),
        ({"retries": {"agent": 1}}, "Different retries of a failed agent: a 0, b 1."),
    ],
)
def test_another_setting_is_warned_about(pair, spec, says):
    a, b = pair({"ids": [SPOOKY]}, seeds=1, **spec)
    a.graded(SPOOKY, 0, 0.2)
    b.graded(SPOOKY, 0, 0.2)
    assert says in compare(a.result(), b.result()).warnings


@pytest.mark.parametrize(
    "facts, says",
    [
        ({"dataset_digest": "sha256:other"}, f"Different data of {SPOOKY}: "),
        (
            {"hardware": {"cpus": 2, "memory_bytes": 2**33}},
            "Different hardware: a 36 CPUs, 440 GiB of memory, NVIDIA A10, b 2 ",
        ),
        ({"isolation": "unprotected"}, "b ran unprotected."),
        ({"network": "open"}, "Different network: a restricted, enforced, b open."),
    ],
)
def test_what_runs_recorded_differently_is_warned_about(pair, facts, says):
    a, b = pair({"ids": [SPOOKY]}, seeds=1)
    a.graded(SPOOKY, 0, 0.2)
    b.graded(SPOOKY, 0, 0.2, **facts)
    assert any(warning.startswith(says) for warning in compare(a.result(), b.result()).warnings)


def test_nothing_in_common_is_refused(make_lab):
    a = make_lab({"ids": [SPOOKY]}, name="a", uid="aaaaaaaa")
    b = make_lab({"ids": [CACTUS]}, name="b", uid="bbbbbbbb")
    with pytest.raises(CompareError, match="a and b have no competition in common"):
        compare(a.result(), b.result())


def test_nothing_that_pairs_is_refused(pair):
    a, b = pair({"ids": [SPOOKY]}, seeds=2)
    a.graded(SPOOKY, 0, 0.2)
    b.graded(SPOOKY, 1, 0.2)
    with pytest.raises(CompareError, match="no run with the same competition and seed has a result in both"):
        compare(a.result(), b.result())
