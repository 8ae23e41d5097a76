"""From a store to a result: what each run left decides its row, and rows decide the figures."""

import json

import pytest

import catalog
from orchestrator.api.types import ResultRow, RunState
from orchestrator.core.model import Outcome, Verdict
from orchestrator.report.documents import CollectError
from orchestrator.report.html import to_html
from orchestrator.report.reportjson import to_json
from orchestrator.storage.layout import ExperimentKeys

SPOOKY, CACTUS = "spooky-author-identification", "aerial-cactus-identification"
TWO = {"ids": [SPOOKY, CACTUS]}


def only_row(lab, **more):
    (row,) = lab.result(**more).rows
    return row


def test_a_graded_run_has_its_score_medal_and_standing(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.0, snapshots=[(120, 0.3), (60, 0.5)], minutes=200, cost_usd=1.5)
    row = only_row(lab)
    assert (row.state, row.counts, row.score, row.medal, row.valid, row.reason) == (
        "Graded",
        True,
        0,
        "gold",
        True,
        None,
    )
    assert row.percentile == 100
    assert [snapshot.minutes for snapshot in row.snapshots] == [60, 120]
    assert (row.consumed_seconds, row.cost_usd, row.validations, row.attempt) == (12_000, 1.5, 4, 1)


def test_a_rejected_submission_is_a_result_without_a_medal(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, None, reason="Submission rejected: no column id.")
    row = only_row(lab)
    assert (row.state, row.counts, row.reason, row.fault) == ("Failed", True, "InvalidSubmission", "agent")
    assert row.message == "Submission rejected: no column id."
    assert lab.result().figures[0].valid.mean == 0
    assert lab.result().figures[0].submitted.mean == 100


def test_an_absent_submission_is_a_result_that_keeps_why_there_is_none(make_lab):
    lab = make_lab(TWO, seeds=1)
    lab.empty(SPOOKY, 0, reason="DeadlineWithoutSubmission")
    lab.empty(CACTUS, 0, reason="NodeLost")
    rows = {row.competition: row for row in lab.result().rows}
    assert rows[SPOOKY].reason == "DeadlineWithoutSubmission"
    assert rows[CACTUS].reason == "NoSubmission"
    assert lab.result().figures[0].submitted.mean == 0


def test_a_lost_machine_is_missing_and_its_seed_is_not_complete(make_lab):
    lab = make_lab(TWO, seeds=2)
    for seed in (0, 1):
        lab.graded(SPOOKY, seed, 0.0)
    lab.graded(CACTUS, 0, 1.0)
    lab.lost(CACTUS, 1)
    result = lab.result()
    figures = result.figures[0]
    assert (figures.counted_seeds, figures.any_medal.mean) == ((0,), 100)
    assert [(gap.seed, gap.competitions) for gap in figures.missing] == [(1, (CACTUS,))]
    lost = next(row for row in result.rows if not row.counts)
    assert (lost.state, lost.reason, lost.fault) == ("Failed", "NodeLost", "infrastructure")
    assert not result.is_complete


def test_the_newest_attempt_counts(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.lost(SPOOKY, 0, attempt=1, last=False)
    lab.graded(SPOOKY, 0, 0.0, attempt=2)
    row = only_row(lab)
    assert (row.attempt, row.medal) == (2, "gold")
    assert [(one.attempt, one.verdict, one.reason) for one in row.attempts] == [
        (1, "retry", "NodeLost"),
        (2, "grade", None),
    ]


def test_a_report_about_an_older_attempt_does_not_count(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.0, attempt=1)
    lab.write(lab.keys.attempt(SPOOKY, 0, 2).clock, {"consumed_seconds": 5})
    row = only_row(lab)
    assert (row.state, row.counts, row.attempt, row.consumed_seconds) == (RunState.RUNNING, False, 2, 5)


@pytest.mark.parametrize(
    "verdict, state",
    [(None, "Pending"), (Verdict.GRADE, "Grading"), (Verdict.RETRY, "Pending"), (Verdict.FAIL, "Failed")],
)
def test_a_run_without_a_report_stands_where_its_last_judgement_left_it(make_lab, verdict, state):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    if verdict:
        lab.judge(SPOOKY, 0, 1, Outcome(verdict, "NodeLost", "gone"))
    assert only_row(lab).state == state
    assert lab.result().figures[0].any_medal is None


def test_what_only_a_controller_saw_is_told(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.judge(SPOOKY, 0, 1, Outcome(Verdict.GRADE))
    told = ResultRow(competition=SPOOKY, seed=0, state=RunState.FAILED, attempt=1, reason="GraderError")
    row = only_row(lab, told=[told])
    assert (row.state, row.counts, row.reason, row.fault) == ("Failed", False, "GraderError", "us")
    assert row.message == "The submission is safe in the store, but grading it failed."


def test_what_was_told_does_not_outweigh_a_report(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.0)
    told = ResultRow(competition=SPOOKY, seed=0, state=RunState.FAILED, reason="GraderError")
    assert only_row(lab, told=[told]).medal == "gold"


def test_one_unprotected_run_makes_the_whole_unprotected(make_lab):
    lab = make_lab(TWO, seeds=1)
    lab.graded(SPOOKY, 0, 0.0)
    assert not lab.result().unprotected
    lab.graded(CACTUS, 0, 1.0, isolation="unprotected")
    result = lab.result()
    assert result.unprotected
    assert set(result.ran.isolation) == {"pod", "unprotected"}
    assert "Some agents ran unprotected, so the whole is." in result.notes


def test_what_an_earlier_attempt_ran_in_is_not_forgotten(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.record(SPOOKY, 0, 1, isolation="unprotected")
    lab.lost(SPOOKY, 0, attempt=1, last=False)
    lab.graded(SPOOKY, 0, 0.0, attempt=2)
    assert lab.result().unprotected


def test_values_of_environment_variables_stay_out_of_the_report(make_lab):
    agent = {
        "name": "aide",
        "image": "registry.example/aide:1.2",
        "env": [{"name": "API_KEY", "value": "sk-secret"}, {"name": "MODEL", "value": "gpt-x"}],
    }
    result = make_lab({"ids": [SPOOKY]}, agent=agent).result()
    written = to_json(result).decode() + to_html(result)
    assert result.ran.environment == ("API_KEY", "MODEL")
    assert "API_KEY" in written
    assert "sk-secret" not in written


def test_isolation_that_nobody_recorded_is_said(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.0, isolation=None)
    result = lab.result()
    assert result.ran.isolation == ("not recorded",)
    assert "1 of 1 results have no record of how their agent was kept apart." in result.notes


def test_departures_are_those_of_the_spec_and_those_that_runs_recorded(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=3, budget={"wallClock": "12h"})
    lab.graded(SPOOKY, 0, 0.0, departures=["12h a run (published: 24h)", "a public store (published: none)"])
    assert lab.result().departures == ("12h a run (published: 24h)", "a public store (published: none)")


def test_a_result_that_another_attempt_replaced_is_a_departure(make_lab):
    lab = make_lab(TWO, seeds=3)
    lab.graded(SPOOKY, 0, 1.0, attempt=1)
    lab.graded(SPOOKY, 0, 0.0, attempt=2)
    lab.lost(CACTUS, 0, attempt=1, last=False)
    lab.graded(CACTUS, 0, 1.0, attempt=2)
    assert lab.result().departures == ("1 run tried again after the agent had failed (published: never)",)


def test_the_second_number_leaves_out_doubtful_competitions_and_says_which(make_lab):
    low = catalog.ids("low")
    doubtful = [id for id in low if catalog.load(id).is_doubtful]
    lab = make_lab({"split": "low"}, seeds=1)
    for id in low:
        lines = catalog.load(id).medals
        lab.graded(id, 0, lines.gold if id in doubtful else lines.median)
    result = lab.result()
    (official,), (second,) = result.figures, result.figures_without_doubtful
    assert official.any_medal.mean == pytest.approx(100 * len(doubtful) / 22)
    assert (second.split, second.any_medal.mean, len(second.competitions)) == ("low", 0, 22 - len(doubtful))
    assert [doubt.competition for doubt in result.doubtful] == doubtful
    assert all(doubt.why for doubt in result.doubtful)


def test_in_v2_only_defects_that_v2_leaves_are_doubtful(make_lab):
    fixed = next(
        id
        for id in catalog.ids("low")
        if (c := catalog.load(id)).is_doubtful and all(d.v2 for d in c.defects if d.doubtful)
    )
    assert make_lab({"ids": [fixed]}).result().doubtful
    assert not make_lab({"ids": [fixed]}, benchmark="v2").result().doubtful


def test_an_experiment_on_everything_has_figures_for_each_split(make_lab):
    result = make_lab({"split": "all"}, seeds=1).result()
    assert [figures.split for figures in result.figures] == ["low", "medium", "high", "all"]
    assert len(result.rows) == 75


def test_a_choice_of_competitions_is_shown_as_such(make_lab):
    assert [figures.split for figures in make_lab(TWO).result().figures] == ["selected"]
    whole = make_lab({"ids": [*catalog.ids("low"), "AI4Code"]}).result()
    assert [figures.split for figures in whole.figures] == ["low", "selected"]


def test_demo_competitions_are_marked(make_lab):
    result = make_lab({"split": "demo"}).result()
    assert result.is_demo
    assert [figures.split for figures in result.figures] == ["demo"]


def test_what_was_run_is_told_once_where_all_agree(make_lab):
    lab = make_lab(TWO, seeds=1)
    lab.graded(SPOOKY, 0, 0.0, image_digest="sha256:abc")
    lab.graded(CACTUS, 0, 1.0, image_digest="sha256:abc", hardware={"cpus": 1, "memory_bytes": 2**31, "gpus": []})
    ran = lab.result().ran
    assert ran.images == ("registry.example/aide:1.2@sha256:abc",)
    assert ran.command == ("bash", "/home/agent/start.sh")
    assert ran.network == ("restricted, enforced",)
    assert ran.hardware == ("1 CPU, 2 GiB of memory, no GPU", "36 CPUs, 440 GiB of memory, NVIDIA A10")
    assert set(ran.datasets) == {SPOOKY, CACTUS}


def test_what_the_spec_allowed_is_told_with_the_network(make_lab):
    allowed = {"allow": [{"cidr": "10.20.0.5/32", "ports": [443]}, {"cidr": "128.0.0.0/1"}]}
    lab = make_lab({"ids": [SPOOKY]}, seeds=1, network=allowed)
    also = "also 10.20.0.5/32 at port 443 and 128.0.0.0/1 at all ports"
    assert lab.result().ran.network == (f"restricted (asked for), {also}",)
    lab.graded(SPOOKY, 0, 0.0)
    assert lab.result().ran.network == (f"restricted, enforced, {also}",)


def test_the_image_is_told_with_the_digest_that_the_platform_saw(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    seen = Outcome(Verdict.GRADE, image_id="registry.example/aide@sha256:def", node="gpu-7")
    lab.graded(SPOOKY, 0, 0.0, outcome=seen)
    assert lab.result().ran.images == ("registry.example/aide:1.2@sha256:def",)


def test_medal_lines_that_changed_since_grading_are_noted(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.2)
    lab.write_report(SPOOKY, 0, 1, lab.report(SPOOKY, 0.2), gold_threshold=0.5)
    assert lab.result().notes == (
        f"{SPOOKY} seed 0 was graded against other medal lines: gold 0.5 (catalog: 0.16506).",
    )


def test_suspect_runs_are_named(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.2, warnings=("boxes with nan coordinates count as hits",))
    assert f"Suspect, look before believing: {SPOOKY} seed 0." in lab.result().notes


def test_an_experiment_that_is_not_there_is_said(make_lab):
    lab = make_lab()
    lab.keys = ExperimentKeys("default", "other", "00000000")
    with pytest.raises(CollectError, match="There is no experiment other in file://"):
        lab.result()


def test_a_broken_document_is_named(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.0)
    lab.store.write(lab.keys.run_report(SPOOKY, 0), json.dumps({"competition_id": SPOOKY}).encode())
    with pytest.raises(CollectError, match=rf"reports/{SPOOKY}/seed-0\.json can't be read: attempt: field required"):
        lab.result()


def test_a_competition_that_is_not_installed_is_named(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    spec = lab.store.read(lab.keys.spec).replace(b"spooky", b"spoky")
    lab.store.write(lab.keys.spec, spec)
    with pytest.raises(CollectError, match="did you mean spooky-author-identification"):
        lab.result()
