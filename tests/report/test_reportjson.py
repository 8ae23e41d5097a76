"""report.json: written, read back, and handed to the reference's own arithmetic."""

import json

import pytest

from orchestrator.report.aggregate import aggregate
from orchestrator.report.documents import CollectError
from orchestrator.report.reportjson import from_json, to_json


def test_what_is_written_is_read_back(low_lab):
    result = low_lab.result(results_digest="abc")
    again = from_json(to_json(result))
    assert again == result
    assert json.loads(to_json(result))["results_digest"] == "abc"


def test_equal_results_are_equal_bytes(low_lab):
    assert to_json(low_lab.result()) == to_json(low_lab.result())


def test_aggregating_a_report_gives_its_own_figures(low_lab, tmp_path):
    result = low_lab.result()
    path = tmp_path / "report.json"
    path.write_bytes(to_json(result))
    (found,) = aggregate([path]).splits
    (written,) = result.figures
    assert found == written


def test_a_seed_of_a_report_is_a_reference_grading_report(low_lab, tmp_path):
    result = low_lab.result()
    seeds = json.loads(to_json(result))["grading_reports"]
    assert [seed["total_runs"] for seed in seeds] == [22, 22, 22]
    assert seeds[0]["total_valid_submissions"] == 21
    assert seeds[1]["total_runs_with_submissions"] == 21
    paths = []
    for number, seed in enumerate(seeds):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(seed))
    assert aggregate(paths).splits[0].any_medal == result.figures[0].any_medal
    keys = "competition_id score gold_threshold silver_threshold bronze_threshold median_threshold any_medal gold_medal"
    keys += " silver_medal bronze_medal above_median submission_exists valid_submission is_lower_better created_at"
    assert set(seeds[0]["competition_reports"][0]) == {*keys.split(), "submission_path"}


def test_runs_without_a_result_are_in_no_grading_report(make_lab):
    lab = make_lab({"ids": ["spooky-author-identification"]}, seeds=2)
    lab.graded("spooky-author-identification", 0, 0.2)
    lab.lost("spooky-author-identification", 1)
    seeds = json.loads(to_json(lab.result()))["grading_reports"]
    assert [seed["total_runs"] for seed in seeds] == [1, 0]


@pytest.mark.parametrize(
    "content, says",
    [
        (b"{", "seven.json is not JSON"),
        (b"[]", "has schema None"),
        (b'{"schema": "mlectl.dev/report/v7"}', "has schema 'mlectl.dev/report/v7', and this version of mlectl reads"),
        (b'{"schema": "mlectl.dev/report/v1"}', "is not a report: namespace: field required"),
    ],
)
def test_what_is_no_report_is_refused(content, says):
    with pytest.raises(CollectError) as refused:
        from_json(content, "seven.json")
    assert says in str(refused.value)
