"""From a spec to its runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.expand import expand
from orchestrator.core.model import CompetitionFacts, RunKey
from tests.core.build import facts, spec

KNOWN = {**facts(splits=("low", "lite", "all"), birds=1.0, whales=9.0, AI4Code=3.0), **facts(splits=("dev",), toy=0.1)}


def test_runs_go_seed_by_seed_and_the_largest_dataset_first():
    runs = expand(spec(competitions={"split": "lite"}, seeds=2), KNOWN).runs
    order = ["whales", "AI4Code", "birds"]
    assert list(runs) == [RunKey(id, seed) for seed in (0, 1) for id in order]


@pytest.mark.parametrize(
    "competitions, want",
    [
        pytest.param({"split": "lite"}, {"birds", "whales", "AI4Code"}, id="a split"),
        pytest.param({"split": "lite", "exclude": ["whales"]}, {"birds", "AI4Code"}, id="a split without one"),
        pytest.param({"ids": ["toy", "birds"]}, {"toy", "birds"}, id="ids"),
        pytest.param({"ids": ["toy", "birds"], "exclude": ["toy"]}, {"birds"}, id="ids without one"),
    ],
)
def test_what_is_chosen(competitions, want):
    expansion = expand(spec(competitions=competitions), KNOWN)
    assert set(expansion.competitions) == want
    assert not expansion.problems


@pytest.mark.parametrize(
    "competitions, want",
    [
        pytest.param(
            {"ids": ["brids", "whales"]},
            ["spec.competitions.ids: no competition 'brids' is known; did you mean birds?"],
            id="a misspelt id",
        ),
        pytest.param(
            {"ids": ["ai4code"]},
            ["spec.competitions.ids: no competition 'ai4code' is known; did you mean AI4Code?"],
            id="an id in the wrong case",
        ),
        pytest.param(
            {"ids": ["qqqq"]},
            ["spec.competitions.ids: no competition 'qqqq' is known; see `mlectl competitions` for those that are."],
            id="an id like no other",
        ),
        pytest.param(
            {"split": "lite", "exclude": ["whale"]},
            ["spec.competitions.exclude: no competition 'whale' is known; did you mean whales?"],
            id="a misspelt exclusion",
        ),
        pytest.param(
            {"ids": ["toy"], "exclude": ["toy"]},
            ["spec.competitions: exclude leaves nothing of ids; take a competition out of exclude."],
            id="everything is excluded",
        ),
        pytest.param(
            {"split": "demo"},
            [
                "spec.competitions: split demo has no competition here; choose another split, or install the package "
                "that brings its competitions."
            ],
            id="an empty split",
        ),
    ],
)
def test_what_cannot_be_run_is_told_and_nothing_runs(competitions, want):
    expansion = expand(spec(competitions=competitions), KNOWN)
    assert list(expansion.problems) == want
    assert expansion.runs == ()


def test_every_mistake_is_told_at_once():
    wanted = {"ids": ["brids", "whale"], "exclude": ["tyo"]}
    assert len(expand(spec(competitions=wanted), KNOWN).problems) == 3


@given(
    sizes=st.dictionaries(st.text("abc", min_size=1, max_size=3), st.floats(0, 1e3), min_size=1, max_size=8),
    seeds=st.integers(1, 5),
)
def test_each_competition_runs_once_a_seed_whatever_the_order_of_the_catalog(sizes, seeds):
    known = {id: CompetitionFacts(id, frozenset({"dev"}), size) for id, size in sizes.items()}
    backwards = dict(reversed(known.items()))
    wanted = spec(competitions={"split": "dev"}, seeds=seeds)
    runs = expand(wanted, known).runs
    assert sorted(runs) == sorted(RunKey(id, seed) for id in sizes for seed in range(seeds))
    assert [run.seed for run in runs] == sorted(run.seed for run in runs)
    assert runs == expand(wanted, backwards).runs
