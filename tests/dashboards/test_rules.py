"""Each alert is tried by promtool: it fires when it should, and not otherwise."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from tests.dashboards.promtool import needs_promtool, promtool

CHECKOUT = Path(__file__).parents[2]
RULES = CHECKOUT / "helm/mlectl/files/rules.yaml"
ALERTS = {
    rule["alert"]: rule
    for group in yaml.safe_load(RULES.read_text())["groups"]
    for rule in group["rules"]
    if "alert" in rule
}

TRIAL = 'namespace="team",experiment="trial"'
OF_TRIAL = {"namespace": "team", "experiment": "trial"}
IDLE_NODE = {
    'kube_node_status_allocatable{node="a",resource="nvidia_com_gpu"}': "4x300",
    'kube_node_spec_unschedulable{node="a"}': "0x300",
}


def waiting(number):
    return {f'mlectl_runs{{{TRIAL},state="Queued"}}': f"{number}x300"}


def pod(name, gpus, phase="Running", node="a"):
    return {
        f'kube_pod_container_resource_requests{{namespace="x",pod="{name}",node="{node}",resource="nvidia_com_gpu"}}': (
            f"{gpus}x300"
        ),
        f'kube_pod_status_phase{{namespace="x",pod="{name}",phase="{phase}"}}': "1x300",
    }


def experiment(phase="Running", consumed="5x600", graded="1x600"):
    return {
        f'mlectl_experiment_phase{{{TRIAL},phase="{phase}"}}': "1x600",
        f"mlectl_consumed_budget_seconds{{{TRIAL}}}": consumed,
        f'mlectl_runs{{{TRIAL},state="Graded"}}': graded,
        f'mlectl_runs{{{TRIAL},state="Running"}}': "1x600",
    }


def attempts(theirs, not_theirs):
    """How many are judged a minute, as promtool writes it."""
    return {
        'mlectl_attempts_total{verdict="retry",reason="NodeLost",fault="infrastructure"}': not_theirs,
        'mlectl_attempts_total{verdict="grade",reason="",fault=""}': theirs,
    }


@dataclass(frozen=True)
class Case:
    """Series as promtool writes them (a sample a minute), and what has fired at the end."""

    told: str
    alert: str
    series: dict[str, str]
    after: str = "30m"
    fires: dict[str, str] | None = field(default=None)
    """The labels that it fires with; None: it does not."""


CASES = [
    Case("nothing moves", "MlectlExperimentStuck", experiment(), "7h", OF_TRIAL),
    Case("nothing moved until now", "MlectlExperimentStuck", experiment(), "5h"),
    Case("agents use time", "MlectlExperimentStuck", experiment(consumed="0+60x600"), "7h"),
    Case("runs end", "MlectlExperimentStuck", experiment(graded="0+1x600"), "7h"),
    Case("it is finished", "MlectlExperimentStuck", experiment(phase="Succeeded"), "7h"),
    Case("it is suspended", "MlectlExperimentStuck", experiment(phase="Suspended"), "7h"),
    Case(
        "a clock stands still",
        "MlectlRunSilent",
        {f"mlectl_oldest_clock_age_seconds{{{TRIAL}}}": "0+60x60"},
        "40m",
        OF_TRIAL,
    ),
    Case(
        "a clock is looked at every ten minutes",
        "MlectlRunSilent",
        {f"mlectl_oldest_clock_age_seconds{{{TRIAL}}}": "0+60x10 0+60x10 0+60x10 0+60x10"},
        "40m",
    ),
    Case("machines fail", "MlectlInfrastructureFailures", attempts("0x60", "0x9 5x50"), fires={}),
    Case("a single one fails", "MlectlInfrastructureFailures", attempts("0x60", "0x9 1x50")),
    Case("a few of very many fail", "MlectlInfrastructureFailures", attempts("0+10x60", "0x9 5x50")),
    Case("GPUs are free while runs wait", "MlectlGpuIdle", {**IDLE_NODE, **waiting(3), **pod("p", 2)}, "35m", {}),
    Case("no pod has a GPU while runs wait", "MlectlGpuIdle", {**IDLE_NODE, **waiting(3)}, "35m", {}),
    Case(
        "an ended pod holds none", "MlectlGpuIdle", {**IDLE_NODE, **waiting(3), **pod("p", 4, "Succeeded")}, "35m", {}
    ),
    Case("they have been free for a short time", "MlectlGpuIdle", {**IDLE_NODE, **waiting(3)}, "25m"),
    Case("no run waits", "MlectlGpuIdle", {**IDLE_NODE, **waiting(0)}, "35m"),
    Case("all are taken", "MlectlGpuIdle", {**IDLE_NODE, **waiting(3), **pod("p", 4)}, "35m"),
    Case(
        "the node takes no pods",
        "MlectlGpuIdle",
        {**IDLE_NODE, **waiting(3), 'kube_node_spec_unschedulable{node="a"}': "1x300"},
        "35m",
    ),
    Case("nobody measures GPUs", "MlectlGpuIdle", waiting(3), "35m"),
    Case("no controller is there", "MlectlControllerDown", {'up{job="other"}': "1x60"}, fires={}),
    Case("a controller is there", "MlectlControllerDown", {'mlectl_build_info{version="1"}': "1x60"}),
    Case("it went a few minutes ago", "MlectlControllerDown", {'mlectl_build_info{version="1"}': "1x20"}, "27m"),
    Case(
        "all stand by",
        "MlectlLeaderMissing",
        {'mlectl_leader{job="m",pod="a"}': "0x60", 'mlectl_leader{job="m",pod="b"}': "0x60"},
        fires={"job": "m"},
    ),
    Case(
        "one leads",
        "MlectlLeaderMissing",
        {'mlectl_leader{job="m",pod="a"}': "0x60", 'mlectl_leader{job="m",pod="b"}': "1x60"},
    ),
    Case(
        "another is about to take over",
        "MlectlLeaderMissing",
        {'mlectl_leader{job="m",pod="a"}': "1x27 0x60", 'mlectl_leader{job="m",pod="b"}': "0x28 1x60"},
        "28m",
    ),
    Case(
        "requests fail again and again",
        "MlectlStoreFailing",
        {'mlectl_store_errors_total{store="runs"}': "0+2x60"},
        fires={"store": "runs"},
    ),
    Case(
        "a request fails now and then", "MlectlStoreFailing", {'mlectl_store_errors_total{store="runs"}': "0x20 1x60"}
    ),
    Case("a defect", "MlectlDefect", {'mlectl_reconcile_errors_total{cause="defect"}': "0x25 1x60"}, fires={}),
    Case("the store is away", "MlectlDefect", {'mlectl_reconcile_errors_total{cause="store"}': "0+1x60"}),
]


def tried(case):
    """The case as `promtool test rules` reads it: it is asked for all alerts of that name that fire."""
    labels = {"alertname": case.alert, "alertstate": "firing", "severity": ALERTS[case.alert]["labels"]["severity"]}
    fired = ",".join(f'{name}="{value}"' for name, value in {**labels, **(case.fires or {})}.items())
    asked = {
        "expr": f'ALERTS{{alertname="{case.alert}",alertstate="firing"}}',
        "eval_time": case.after,
        "exp_samples": [] if case.fires is None else [{"labels": f"ALERTS{{{fired}}}", "value": 1}],
    }
    series = [{"series": name, "values": values} for name, values in case.series.items()]
    return {"name": case.told, "interval": "1m", "input_series": series, "promql_expr_test": [asked]}


@needs_promtool
@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_fires_when_it_should_and_not_otherwise(alert, tmp_path):
    path = tmp_path / "test.yaml"
    tests = [tried(case) for case in CASES if case.alert == alert]
    path.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    promtool("test", "rules", path)


@needs_promtool
def test_promtool_finds_no_fault_with_the_rules():
    assert "SUCCESS" in promtool("check", "rules", "--lint-fatal", RULES)


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_is_tried_both_ways(alert):
    assert {case.fires is None for case in CASES if case.alert == alert} == {True, False}


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_says_what_it_is_how_bad_and_what_to_do(alert):
    rule = ALERTS[alert]
    assert rule["labels"]["severity"] in ("warning", "critical")
    annotations = rule["annotations"]
    assert set(annotations) == {"summary", "description", "runbook_url"}
    runbook = CHECKOUT / annotations["runbook_url"]
    assert runbook.parent == CHECKOUT / "docs/runbooks"
    assert runbook.read_text().startswith(f"# {alert}\n")


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_names_only_labels_that_it_has(alert):
    named = set(re.findall(r"\$labels\.(\w+)", str(ALERTS[alert]["annotations"])))
    for case in CASES:
        if case.alert == alert and case.fires is not None:
            assert named <= case.fires.keys()


def test_every_runbook_has_an_alert():
    pages = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "docs/runbooks").glob("*.md")}
    assert pages - {"docs/runbooks/index.md"} == {rule["annotations"]["runbook_url"] for rule in ALERTS.values()}
