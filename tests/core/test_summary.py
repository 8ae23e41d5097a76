"""The arithmetic of a result, against figures that were published and against its own definition."""

import csv
from pathlib import Path
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.summary import METRICS, RunResult, figures

MEDALS = {"G": "gold", "S": "silver", "B": "bronze"}


def published(agent):
    """Published results of an agent, three groups of reports as seeds 1 to 3.

    A cell has a letter for each flag of the report: a medal (G, S, B), m above median, v valid, f a file was there,
    - for none of them; an empty cell is a missing report.
    """
    table = Path(__file__).parent / "data" / "published.csv"
    with table.open() as lines:
        for line in csv.DictReader(lines):
            for seed in (1, 2, 3):
                flags = line[f"{agent}_{seed}"]
                if flags:
                    medal = next((MEDALS[letter] for letter in flags if letter in MEDALS), None)
                    yield RunResult(line["competition"], seed, medal, "m" in flags, "v" in flags, "f" in flags)


def split(name):
    table = Path(__file__).parent / "data" / "published.csv"
    with table.open() as lines:
        return {line["competition"] for line in csv.DictReader(lines) if name in ("all", line["complexity"])}


@pytest.mark.parametrize(
    "name, mean, sem",
    [
        ("low", 62.1212, 1.5152),
        ("medium", 36.8421, 1.5193),
        ("high", 33.3333, 0.0),
        ("all", 43.5556, 0.8889),
    ],
)
def test_the_published_figures_of_three_complete_seeds_come_out(name, mean, sem):
    figure = figures(published("famou"), split(name)).figures["any_medal"]
    assert round(figure.mean, 4) == mean
    assert round(figure.sem, 4) == sem
    assert figure.low95 == pytest.approx(mean - 1.96 * sem, abs=1e-3)
    assert figure.high95 == pytest.approx(mean + 1.96 * sem, abs=1e-3)


@pytest.mark.parametrize(
    "name, mean, sem",
    [
        ("low", 63.6364, 0.0),
        ("medium", 33.3333, 0.8772),
        ("high", 20.0, 0.0),
        ("all", 39.5556, 0.4444),
    ],
)
def test_the_published_figures_of_incomplete_seeds_come_out_with_padding(name, mean, sem):
    rows = list(published("operand"))
    figure = figures(rows, split(name), pad_missing=True).figures["any_medal"]
    assert round(figure.mean, 4) == mean
    assert round(figure.sem, 4) == sem
    assert figures(rows, split("all")).figures == {}, "without padding no seed is complete"


def test_a_seed_without_every_competition_does_not_count():
    rows = [RunResult("a", 0, "gold"), RunResult("b", 0), RunResult("a", 1, "gold")]
    summary = figures(rows, {"a", "b"})
    assert summary.seeds == (0,)
    assert summary.missing == {1: ("b",)}
    assert summary.figures["any_medal"].mean == 50


def test_a_seed_is_never_paired_anew_by_what_succeeded():
    rows = [RunResult("a", 0, "gold"), RunResult("b", 1, "gold")]
    assert figures(rows, {"a", "b"}).seeds == ()


def test_one_seed_has_no_spread():
    figure = figures([RunResult("a", 0, "silver")], {"a"}).figures["silver"]
    assert (figure.mean, figure.sem, figure.low95, figure.high95) == (100, 0, 100, 100)


def test_results_of_other_competitions_are_left_out():
    rows = [RunResult("a", 0), RunResult("elsewhere", 0, "gold")]
    assert figures(rows, {"a"}).figures["any_medal"].mean == 0


def test_a_seed_that_was_asked_for_and_has_nothing_is_missing_or_padded():
    rows = [RunResult("a", 0, "gold")]
    assert figures(rows, {"a"}, seeds=[0, 1]).missing == {1: ("a",)}
    assert figures(rows, {"a"}, seeds=[0, 1], pad_missing=True).figures["gold"].mean == 50


def test_seeds_that_were_not_asked_for_are_left_out():
    rows = [RunResult("a", 0, "gold"), RunResult("a", 7)]
    assert figures(rows, {"a"}, seeds=[0]).seeds == (0,)


def test_two_results_of_one_run_are_refused():
    with pytest.raises(ValueError, match="Two results for a, seed 0; a run has one"):
        figures([RunResult("a", 0), RunResult("a", 0)], {"a"})


def test_a_split_of_nothing_is_refused():
    with pytest.raises(ValueError, match="name at least one competition"):
        figures([], set())


results = st.builds(
    RunResult,
    competition=st.sampled_from("abcde"),
    seed=st.integers(0, 4),
    medal=st.sampled_from([None, "gold", "silver", "bronze"]),
    above_median=st.booleans(),
    valid=st.booleans(),
    submitted=st.booleans(),
)
distinct = st.lists(results, unique_by=lambda row: (row.competition, row.seed))


@given(distinct, st.sets(st.sampled_from("abcde"), min_size=1))
def test_figures_follow_their_definition(rows, ids):
    summary = figures(rows, ids)
    complete = [
        seed
        for seed in sorted({row.seed for row in rows})
        if ids <= {row.competition for row in rows if row.seed == seed}
    ]
    assert list(summary.seeds) == complete
    for metric in METRICS if complete else ():
        percents = [
            100 * sum(getattr(row, metric) for row in rows if row.seed == seed and row.competition in ids) / len(ids)
            for seed in complete
        ]
        figure = summary.figures[metric]
        sem = stdev(percents) / len(percents) ** 0.5 if len(percents) > 1 else 0
        assert list(summary.per_seed[metric]) == pytest.approx(percents)
        assert figure.mean == pytest.approx(fmean(percents))
        assert figure.sem == pytest.approx(sem, abs=1e-9)
        assert (figure.low95, figure.high95) == pytest.approx(
            (fmean(percents) - 1.96 * sem, fmean(percents) + 1.96 * sem), abs=1e-9
        )


@given(distinct, st.randoms())
def test_the_order_of_the_rows_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert figures(rows, {"a", "b"}) == figures(shuffled, {"a", "b"})


@given(st.integers(1, 75), st.integers(1, 75), st.integers(2, 9))
def test_equal_seeds_have_a_standard_error_of_exactly_zero(medals, size, seeds):
    ids = [str(number) for number in range(max(medals, size))]
    rows = [RunResult(id, seed, "gold" if int(id) < medals else None) for id in ids for seed in range(seeds)]
    assert figures(rows, ids).figures["gold"].sem == 0
