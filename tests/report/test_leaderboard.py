"""The published board, and where an experiment stands on it, if it may stand there at all."""

import pytest

import catalog
from orchestrator.report.leaderboard import LeaderboardError, leaderboard, published

LOW = catalog.ids("low")


@pytest.fixture
def complete(make_lab):
    """Makes a complete experiment on the low split in the published setting: so many medals in each seed."""

    def make(medals, **spec):
        lab = make_lab({"split": "low"}, **{"seeds": 3, **spec})
        for place, id in enumerate(LOW):
            lines = catalog.load(id).medals
            for seed in range(lab.seeds):
                lab.graded(id, seed, lines.gold if place < medals else lines.median)
        return lab

    return make


def test_the_board_has_every_published_entry_best_first():
    board = leaderboard()
    assert board.split == "all"
    assert len(board.places) == len(published()) == 30
    means = [place.mean for place in board.places]
    assert means == sorted(means, reverse=True)
    first = next(place for place in board.places if place.rank == 1)
    assert (first.agent, first.mean, first.sem, first.hours) == ("Famou-Agent 2.0", 64.44, 1.18, 24)


def test_entries_with_feedback_from_the_test_set_have_no_rank():
    unranked = [place for place in leaderboard().places if place.rank is None]
    assert [place.agent for place in unranked] == ["Disarray", "LoongFlow"]
    assert all("feedback from the test set" in place.notes[0] for place in unranked)


def test_equal_figures_share_a_rank_and_the_next_one_follows_after_both():
    ranks = [place.rank for place in leaderboard(split="low").places if place.rank]
    assert ranks[:5] == [1, 1, 1, 4, 5]


def test_splits_of_an_entry_agree_with_its_all_figure():
    """The weighted mean of a row's splits is its All figure, but for the row that says otherwise."""
    for entry in published():
        weighted = (22 * entry.means["low"] + 38 * entry.means["medium"] + 15 * entry.means["high"]) / 75
        is_close = abs(weighted - entry.means["all"]) < 0.05
        assert is_close == (entry.agent != "MLAB"), entry.agent


def test_a_comparable_experiment_is_ranked(complete):
    board = leaderboard(complete(16).result())
    assert (board.split, board.reasons) == ("low", ())
    (own,) = [place for place in board.places if place.is_experiment]
    assert own.mean == pytest.approx(72.73, abs=0.01)
    better = sum(place.mean > own.mean for place in board.places if place.rank)
    assert own.rank == better + 1


@pytest.mark.parametrize(
    "spec, says",
    [
        ({"budget": {"wallClock": "48h"}}, "Another setting: 48h a run (published: 24h)."),
        ({"seeds": 2}, "Another setting: 2 seeds (published: 3 or more)."),
        ({"benchmark": "v2"}, "Another setting: benchmark v2, known defects fixed (published: v1)."),
    ],
)
def test_another_setting_is_shown_without_a_rank_and_says_why(complete, spec, says):
    board = leaderboard(complete(16, **spec).result())
    (own,) = [place for place in board.places if place.is_experiment]
    assert own.rank is None
    assert says in board.reasons
    assert [place.rank for place in board.places if place.rank] == [
        p.rank for p in leaderboard(split="low").places if p.rank
    ]


def test_an_unprotected_experiment_is_not_ranked_and_carries_the_word(complete):
    lab = complete(16)
    lab.graded(LOW[0], 0, catalog.load(LOW[0]).medals.gold, isolation="unprotected")
    board = leaderboard(lab.result())
    (own,) = [place for place in board.places if place.is_experiment]
    assert (own.rank, own.notes) == (None, ("unprotected",))
    assert any(reason.startswith("It ran unprotected") for reason in board.reasons)


def test_an_incomplete_experiment_is_not_ranked(complete):
    lab = complete(16)
    lab.store.delete(lab.keys.run_report(LOW[0], 1))
    board = leaderboard(lab.result())
    assert "1 of 3 seeds are not complete." in board.reasons
    assert "2 complete seeds (published: 3 or more)." in board.reasons
    assert next(place for place in board.places if place.is_experiment).rank is None


def test_a_split_that_was_not_run_has_no_line_of_the_experiment(complete):
    board = leaderboard(complete(16).result(), "all")
    assert not any(place.is_experiment for place in board.places)
    assert "It did not run 53 of the 75 competitions of split all." in board.reasons


def test_the_demo_is_no_result_on_the_benchmark(make_lab):
    board = leaderboard(make_lab({"split": "demo"}).result())
    assert not any(place.is_experiment for place in board.places)
    assert any("medal lines are made up" in reason for reason in board.reasons)


def test_nobody_published_a_demo():
    with pytest.raises(LeaderboardError, match="split demo; choose low, medium, high or all"):
        leaderboard(split="demo")
