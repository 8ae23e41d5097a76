"""Grading reports to figures: published rows come out as published, and what can't be right is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import catalog
from orchestrator.report.aggregate import aggregate
from orchestrator.report.grading import ReportError

DATA = Path(__file__).parent / "data"
LEVELS = ("absent", "invalid", "valid", "median", "bronze", "silver", "gold")
SPLITS = ("low", "medium", "high", "all")


def competition_report(competition: str, level: str, **changes: Any) -> dict[str, Any]:
    """A reference report of a competition that came as far as `level`, with the catalog's medal lines."""
    facts, rank = catalog.load(competition), LEVELS.index(level)
    report = {
        "competition_id": competition,
        "score": None if rank < 2 else facts.medals.median,
        "gold_threshold": facts.medals.gold,
        "silver_threshold": facts.medals.silver,
        "bronze_threshold": facts.medals.bronze,
        "median_threshold": facts.medals.median,
        "any_medal": rank >= 4,
        "gold_medal": level == "gold",
        "silver_medal": level == "silver",
        "bronze_medal": level == "bronze",
        "above_median": rank >= 3,
        "submission_exists": rank >= 1,
        "valid_submission": rank >= 2,
        "is_lower_better": facts.lower_is_better,
        "created_at": "2025-10-02T00:42:36.373212",
        "submission_path": f"runs/{competition}/submission.csv",
    }
    return report | changes


def write_seed(path: Path, levels: dict[str, str], **changes: Any) -> Path:
    reports = [competition_report(competition, level, **changes) for competition, level in levels.items()]
    path.write_text(json.dumps({"total_runs": len(reports), "competition_reports": reports}))
    return path


def published(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    return content


def write_published(folder: Path, name: str) -> list[Path]:
    return [
        write_seed(folder / f"{name}-{number}.json", {id: level for level, ids in seed.items() for id in ids})
        for number, seed in enumerate(published(name)["seeds"])
    ]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", ["famou", "operand"])
def test_published_rows_come_out_as_published(tmp_path: Path, name: str, split: str) -> None:
    row = published(name)
    got = aggregate(write_published(tmp_path, name), split=split, pad_missing=row["pad_missing"]).splits[0].any_medal
    assert got is not None
    assert [round(got.mean, 4), round(got.sem, 4)] == row["exact"][split]
    assert [round(got.mean, 2), round(got.sem, 2)] == row["published"][split]


def test_each_seed_of_a_published_entry_has_its_own_figure(tmp_path: Path) -> None:
    low, medium, high, every = aggregate(write_published(tmp_path, "famou")).splits
    assert [round(value, 2) for value in low.per_seed] == [63.64, 63.64, 59.09]
    assert [round(value, 2) for value in medium.per_seed] == [34.21, 39.47, 36.84]
    assert [round(value, 2) for value in high.per_seed] == [33.33, 33.33, 33.33]
    assert [round(value, 2) for value in every.per_seed] == [42.67, 45.33, 42.67]
    assert every.counted_seeds == (0, 1, 2)


def test_other_figures_are_counted_from_their_own_flags(tmp_path: Path) -> None:
    every = aggregate(write_published(tmp_path, "famou"), split="all").splits[0]
    means = {name: round(getattr(every, name).mean * 75 / 100 * 3) for name in ("gold", "silver", "bronze")}
    assert means == {"gold": 18 + 16 + 17, "silver": 7 + 12 + 9, "bronze": 7 + 6 + 6}
    assert round(every.above_median.mean * 75 / 100 * 3) == 39 + 37 + 40
    assert round(every.valid.mean * 75 / 100 * 3) == 71 + 74 + 73
    assert round(every.submitted.mean * 75 / 100 * 3) == 73 + 74 + 75


def test_an_incomplete_seed_does_not_count_and_what_it_lacks_is_named(tmp_path: Path) -> None:
    low = catalog.ids("low")
    whole = write_seed(tmp_path / "whole.json", dict.fromkeys(low, "gold"))
    short = write_seed(tmp_path / "short.json", dict.fromkeys(low[1:], "valid"))
    result = aggregate([whole, short])
    assert result.seeds == ("whole.json", "short.json")
    assert result.splits[0].counted_seeds == (0,)
    assert result.splits[0].any_medal.mean == 100
    assert [(gap.seed, gap.competitions) for gap in result.splits[0].missing] == [(1, (low[0],))]
    assert not result.splits[0].padded
    assert result.notes == ()


def test_padding_counts_what_is_missing_as_failed_and_says_so(tmp_path: Path) -> None:
    low = catalog.ids("low")
    path = write_seed(tmp_path / "short.json", dict.fromkeys(low[1:], "gold"))
    result = aggregate([path], pad_missing=True)
    assert result.splits[0].any_medal.mean == pytest.approx(100 * 21 / 22)
    assert result.splits[0].padded
    assert result.notes == ("low: 1 missing result is counted as a failure, in 1 of 1 seeds (--pad-missing).",)


def test_padding_that_pads_nothing_is_not_mentioned(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "whole.json", dict.fromkeys(catalog.ids("low"), "gold"))
    result = aggregate([path], pad_missing=True)
    assert not result.splits[0].padded
    assert result.notes == ()


def test_a_split_without_a_complete_seed_has_no_figure(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "one.json", {"spooky-author-identification": "gold"})
    result = aggregate([path]).splits[0]
    assert (result.any_medal, result.counted_seeds, len(result.missing[0].competitions)) == (None, (), 21)


def test_lite_is_low(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "one.json", dict.fromkeys(catalog.ids("low"), "gold"))
    assert aggregate([path], split="lite") == aggregate([path], split="low")


def test_only_splits_that_the_reports_touch_are_shown(tmp_path: Path) -> None:
    low = write_seed(tmp_path / "low.json", {"spooky-author-identification": "gold"})
    both = write_seed(tmp_path / "both.json", {"spooky-author-identification": "gold", "AI4Code": "gold"})
    assert [result.split for result in aggregate([low]).splits] == ["low"]
    assert [result.split for result in aggregate([both]).splits] == ["low", "medium", "all"]


def test_competitions_outside_the_chosen_split_are_named(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "one.json", {"spooky-author-identification": "gold", "AI4Code": "gold"})
    assert "Not in split low, so in no figure: AI4Code." in aggregate([path], split="low").notes


def test_medal_lines_that_differ_from_the_catalog_are_noted(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "one.json", {"AI4Code": "gold"}, gold_threshold=0.5)
    assert aggregate([path]).notes == (
        "AI4Code: medal lines are not the catalog's in one.json: gold 0.5 (catalog: 0.9006). "
        "Its medals count as reported.",
    )


def test_our_own_report_holds_its_seeds_in_one_file(tmp_path: Path) -> None:
    low = catalog.ids("low")
    seeds = [
        {"seed": seed, "competition_reports": [competition_report(id, level) for id in low]}
        for seed, level in enumerate(["gold", "valid"])
    ]
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"schema": "mlectl.dev/report/v1", "grading_reports": seeds}))
    result = aggregate([path])
    assert result.seeds == ("report.json seed 0", "report.json seed 1")
    assert result.splits[0].per_seed == (100, 0)


def one(**changes: Any) -> str:
    return json.dumps({"competition_reports": [competition_report("AI4Code", "gold", **changes)]})


def without(key: str) -> str:
    report = competition_report("AI4Code", "gold")
    del report[key]
    return json.dumps({"competition_reports": [report]})


WHERE = "competition_reports[0] (AI4Code)"


@pytest.mark.parametrize(
    "content, says",
    [
        pytest.param("{", "bad.json is not JSON", id="a file that is not JSON"),
        pytest.param("[]", "holds a list, not an object with competition_reports", id="a list"),
        pytest.param("{}", "has no competition_reports", id="an object of another kind"),
        pytest.param('{"competition_id": "AI4Code"}', "is the report of one competition", id="a single report"),
        pytest.param('{"competition_reports": []}', "competition_reports is '[]'", id="an empty report"),
        pytest.param('{"competition_reports": [1]}', "competition_reports.0 is '1'", id="a report that is a number"),
        pytest.param('{"grading_reports": []}', "must be a list with one object a seed", id="no seeds"),
        pytest.param(without("any_medal"), f"{WHERE}: any_medal is missing", id="a key that is missing"),
        pytest.param(one(any_medal="yes"), f"{WHERE}: any_medal is 'yes'", id="a flag that is text"),
        pytest.param(one(any_medal=False), f"{WHERE} contradicts itself", id="a medal that is not a medal"),
        pytest.param(one(silver_medal=True), f"{WHERE} contradicts itself", id="two medals"),
        pytest.param(one(score=float("nan")), "has the number NaN", id="NaN"),
        pytest.param(one(score=float("-inf")), "has the number -Infinity", id="an infinity"),
        pytest.param(one().replace("0.8257", "1e999"), f"{WHERE}: ", id="a number that is too large"),
        pytest.param(one(competition_id="AI5Code"), "did you mean AI4Code", id="a competition that nobody knows"),
        pytest.param(
            json.dumps({"competition_reports": [competition_report("AI4Code", "gold")] * 2}),
            "AI4Code is in bad.json twice",
            id="a competition twice",
        ),
        pytest.param("[" * 100_000, "bad.json is not JSON", id="a file that nests without end"),
    ],
)
def test_bad_input_is_refused_in_one_sentence_with_the_file(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ReportError) as refused:
        aggregate([path])
    assert says in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"absent\.json can't be read: No such file"):
        aggregate([tmp_path / "absent.json"])


def test_a_file_named_twice_is_one_seed_too_many(tmp_path: Path) -> None:
    path = write_seed(tmp_path / "one.json", {"AI4Code": "gold"})
    with pytest.raises(ReportError, match="is named twice"):
        aggregate([path, tmp_path / ".." / tmp_path.name / "one.json"])


def test_nothing_to_aggregate_is_said() -> None:
    with pytest.raises(ReportError, match="name at least one grading report"):
        aggregate([])


seeds_of_low = st.lists(
    st.dictionaries(st.sampled_from(catalog.ids("low")), st.sampled_from(LEVELS), min_size=1), min_size=1, max_size=4
)


@settings(max_examples=30, deadline=None)
@given(seeds=seeds_of_low, order=st.randoms(use_true_random=False))
def test_figures_are_percentages_whatever_the_order_of_files(
    tmp_path_factory: pytest.TempPathFactory, seeds: list[dict[str, str]], order: Any
) -> None:
    folder = tmp_path_factory.mktemp("seeds")
    paths = [write_seed(folder / f"{number}.json", levels) for number, levels in enumerate(seeds)]
    shuffled = order.sample(paths, len(paths))
    padded, again = (aggregate(files, split="low", pad_missing=True).splits[0] for files in (paths, shuffled))
    assert padded.any_medal == again.any_medal
    assert sorted(padded.per_seed) == sorted(again.per_seed)
    for name in ("any_medal", "gold", "silver", "bronze", "above_median", "valid", "submitted"):
        figure = getattr(padded, name)
        assert 0 <= figure.mean <= 100
        assert figure.low95 <= figure.mean <= figure.high95
    assert padded.any_medal.mean <= padded.above_median.mean <= padded.valid.mean <= padded.submitted.mean


@settings(max_examples=30, deadline=None)
@given(seeds=seeds_of_low, complete=st.lists(st.sampled_from(LEVELS), min_size=22, max_size=22))
def test_padding_never_raises_what_a_seed_has(
    tmp_path_factory: pytest.TempPathFactory, seeds: list[dict[str, str]], complete: list[str]
) -> None:
    """A padded seed's percentage is at most the share among the competitions that it has."""
    folder = tmp_path_factory.mktemp("seeds")
    levels = [*seeds, dict(zip(catalog.ids("low"), complete, strict=True))]
    paths = [write_seed(folder / f"{number}.json", seed) for number, seed in enumerate(levels)]
    padded = aggregate(paths, split="low", pad_missing=True).splits[0]
    for seed, percent in zip(levels, padded.per_seed, strict=True):
        won = sum(level in ("gold", "silver", "bronze") for level in seed.values())
        assert percent <= 100 * won / len(seed) + 1e-9
