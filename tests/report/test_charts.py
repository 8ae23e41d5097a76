"""Coordinates of the charts: up is better, time runs to the right, nothing leaves the frame."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import catalog
from orchestrator.api.types import RunState
from orchestrator.report.charts import interval_of, medal_chart, score_chart
from orchestrator.report.result import Facts, RunRow, Snapshot

SPOOKY, CACTUS = "spooky-author-identification", "aerial-cactus-identification"


def facts(lower_is_better=False, **lines):
    known = {"gold": 0.9, "silver": 0.8, "bronze": 0.7, "median": 0.5} | lines
    return Facts(id="x", name="X", complexity="low", lower_is_better=lower_is_better, **known)


def run(score, snapshots, seed=0, minutes=100.0, medal=None):
    return RunRow(
        competition="x",
        seed=seed,
        state=RunState.GRADED,
        counts=True,
        valid=True,
        score=score,
        medal=medal,
        consumed_seconds=minutes * 60,
        snapshots=tuple(Snapshot(minutes=at, score=value, valid=value is not None) for at, value in snapshots),
    )


def height_of(chart, name):
    return next(line.y for line in chart.lines if line.name == name)


@pytest.mark.parametrize(
    "lower_is_better, lines", [(False, {}), (True, {"gold": 0.1, "silver": 0.2, "bronze": 0.3, "median": 0.5})]
)
def test_better_is_higher_up_whatever_the_direction(lower_is_better, lines):
    chart = score_chart(facts(lower_is_better, **lines), [run(0.6, [(10, 0.55)])], 100)
    heights = [height_of(chart, name) for name in ("gold", "silver", "bronze", "median")]
    assert heights == sorted(heights)
    end = chart.tracks[0].end_y
    assert (end < heights[3]) == (not lower_is_better)


def test_a_submission_counts_until_the_next_one():
    chart = score_chart(facts(), [run(0.8, [(25, 0.5), (50, 0.7)])], 100, width=200)
    path = chart.tracks[0].path
    assert re.fullmatch(r"M50 [\d.]+H100V[\d.]+H200V[\d.]+", path)
    assert chart.tracks[0].end_x == 200


def test_a_snapshot_taken_after_the_end_is_not_drawn():
    chart = score_chart(facts(), [run(0.8, [(25, 0.5), (90, 0.1)], minutes=50)], 100, width=100)
    assert chart.tracks[0].path.count("H") == 1
    assert chart.tracks[0].end_x == 50


def test_snapshots_that_were_rejected_leave_no_point():
    chart = score_chart(facts(), [run(0.8, [(25, None), (50, 0.7)])], 100, width=100)
    assert chart.tracks[0].path.startswith("M50 ")


def test_without_snapshots_there_is_no_chart():
    assert score_chart(facts(), [run(0.8, [])], 100) is None
    assert score_chart(facts(), [run(None, [(5, None)])], 100) is None


scores = st.floats(-1e6, 1e6).map(lambda x: round(x, 5))


@given(
    lines=st.lists(scores, min_size=4, max_size=4).map(sorted),
    lower=st.booleans(),
    found=st.lists(st.tuples(st.floats(0, 100), scores), min_size=1, max_size=6),
    final=scores,
)
def test_nothing_leaves_the_frame(lines, lower, found, final):
    gold, silver, bronze, median = lines if lower else lines[::-1]
    known = facts(lower, gold=gold, silver=silver, bronze=bronze, median=median)
    chart = score_chart(known, [run(final, sorted(found))], 100, width=200, height=90)
    assert all(0 <= line.y <= 90 for line in chart.lines)
    for track in chart.tracks:
        for command, x, y in re.findall(r"([MHV])([\d.-]+)(?: ([\d.-]+))?", track.path):
            assert 0 <= float(x) <= (90 if command == "V" else 200)
            assert not y or 0 <= float(y) <= 90


def test_the_share_of_medals_grows_as_submissions_do(make_lab):
    lab = make_lab({"ids": [SPOOKY, CACTUS]}, seeds=1, budget={"wallClock": "100m"})
    gold = {id: catalog.load(id).medals.gold for id in (SPOOKY, CACTUS)}
    lab.graded(SPOOKY, 0, gold[SPOOKY], snapshots=[(20, 9.0), (40, gold[SPOOKY])], minutes=100)
    lab.graded(CACTUS, 0, gold[CACTUS], snapshots=[(20, 0.1)], minutes=80)
    result = lab.result()
    chart = medal_chart(result, result.figures[0], width=100, height=100)
    assert chart.mean == "M0 100H20H40V50H80V0H100"
    assert (chart.final, chart.top, chart.last_minutes) == (100, 100, 100)


def test_a_snapshot_that_could_not_be_graded_does_not_take_a_medal_away(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1, budget={"wallClock": "100m"})
    gold = catalog.load(SPOOKY).medals.gold
    lab.graded(SPOOKY, 0, gold, snapshots=[(20, gold), (40, 9.0)], minutes=100)
    key = lab.keys.run_report(SPOOKY, 0)
    report = json.loads(lab.store.read(key))
    report["snapshots"][1] |= {"score": None, "medal": None, "valid": None, "reason": "It was not graded: no memory."}
    lab.write(key, report)
    result = lab.result()
    assert medal_chart(result, result.figures[0], width=100, height=100).mean == "M0 100H20V0H100"


def test_the_axis_ends_just_above_the_best_seed(low_lab):
    result = low_lab.result()
    chart = medal_chart(result, result.figures[0])
    assert chart.top == 25 * -(-max(result.figures[0].per_seed) // 25)
    assert chart.final == pytest.approx(result.figures[0].any_medal.mean)
    assert len(chart.seeds) == 3


def test_intervals_end_where_percentages_do(make_lab):
    lab = make_lab({"ids": [SPOOKY, CACTUS]}, seeds=2)
    for seed, (left, right) in enumerate([(0.0, 1.0), (9.0, 0.1)]):
        lab.graded(SPOOKY, seed, left)
        lab.graded(CACTUS, seed, right)
    (figures,) = lab.result().figures
    shape = interval_of(figures)
    assert (figures.any_medal.low95 < 0, figures.any_medal.high95 > 100) == (True, True)
    assert (shape.low, shape.high, shape.mean, shape.seeds) == (0, 100, 50, (100, 0))
