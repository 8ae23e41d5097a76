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
HOURLY = {f"mlectl_snapshot_interval_seconds{{{TRIAL}}}": "3600x400"}


def node(name="a", ready=True, takes_pods=True):
    """With four GPUs."""
    return {
        f'kube_node_status_allocatable{{node="{name}",resource="nvidia_com_gpu"}}': "4x300",
        f'kube_node_status_allocatable{{node="{name}",resource="cpu"}}': "36x300",
        f'kube_node_status_condition{{node="{name}",condition="Ready",status="true"}}': f"{int(ready)}x300",
        f'kube_node_status_condition{{node="{name}",condition="Ready",status="unknown"}}': f"{int(not ready)}x300",
        f'kube_node_spec_unschedulable{{node="{name}"}}': f"{int(not takes_pods)}x300",
    }


def waiting(number, gpus=1):
    return {f'mlectl_runs{{{TRIAL},state="Queued"}}': f"{number}x300", f"mlectl_run_gpus{{{TRIAL}}}": f"{gpus}x300"}


def pod(name, gpus, phase="Running", node="a"):
    return {
        f'kube_pod_container_resource_requests{{namespace="x",pod="{name}",node="{node}",resource="nvidia_com_gpu"}}': (
            f"{gpus}x300"
        ),
        f'kube_pod_status_phase{{namespace="x",pod="{name}",phase="{phase}"}}': "1x300",
    }


def experiment(phase="Running", consumed="5x900", graded="1x900", labels=TRIAL, **runs):
    """One that goes on, with so many runs in each state; one runs, if nothing is said."""
    counts = {"Preparing": 0, "Queued": 0, "Running": 0, "Grading": 0, **(runs or {"Running": 1})}
    return {
        f'mlectl_experiment_phase{{{labels},phase="{phase}"}}': "1x900",
        f"mlectl_consumed_budget_seconds{{{labels}}}": consumed,
        f'mlectl_runs{{{labels},state="Graded"}}': graded,
        **{f'mlectl_runs{{{labels},state="{state}"}}': f"{number}x900" for state, number in counts.items()},
    }


def preparations(done="5x900", succeeded="0x900", failed="0x900"):
    return {
        'mlectl_prepare_bytes{kind="done"}': done,
        'mlectl_prepare_bytes{kind="total"}': "9000000x900",
        'mlectl_prepare_tries_total{result="succeeded"}': succeeded,
        'mlectl_prepare_tries_total{result="failed"}': failed,
    }


def others(consumed="0+60x900"):
    """Another experiment, whose agents have the nodes."""
    return experiment(labels='namespace="team",experiment="other"', consumed=consumed)


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
        "it only prepares, and bytes come",
        "MlectlExperimentStuck",
        {**experiment("Preparing", Preparing=3), **preparations(done="0+1000x900")},
        "7h",
    ),
    Case(
        "it only prepares, and a dataset is done now and then",
        "MlectlExperimentStuck",
        {**experiment("Preparing", Preparing=3), **preparations(succeeded="0x120 1x120 2x120 3x120 4x120 5x120")},
        "7h",
    ),
    Case(
        "it only prepares, and nothing comes",
        "MlectlExperimentStuck",
        {**experiment("Preparing", Preparing=3), **preparations()},
        "7h",
        OF_TRIAL,
    ),
    Case(
        "it only prepares, and tries fail one after the other",
        "MlectlExperimentStuck",
        {**experiment("Preparing", Preparing=3), **preparations(failed="0+1x900")},
        "7h",
        OF_TRIAL,
    ),
    Case(
        "bytes come for others, and it waits for none",
        "MlectlExperimentStuck",
        {**experiment(), **preparations(done="0+1000x900")},
        "7h",
        OF_TRIAL,
    ),
    Case(
        "it waits for nodes while others' agents use them",
        "MlectlExperimentStuck",
        {**experiment(Queued=3), **others()},
        "13h",
    ),
    Case("it waits for nodes that nobody uses", "MlectlExperimentStuck", experiment(Queued=3), "7h", OF_TRIAL),
    Case(
        "one waits for a node, and another that has one does nothing, while others' agents go on",
        "MlectlExperimentStuck",
        {**experiment(Queued=3, Running=1), **others()},
        "7h",
        OF_TRIAL,
    ),
    Case(
        "others' agents were done hours ago, and it still waits for nodes",
        "MlectlExperimentStuck",
        {**experiment(Queued=3), **others(consumed="0+60x60 3600x900")}
        | {'mlectl_experiment_phase{namespace="team",experiment="other",phase="Running"}': "1x60 stale"},
        "8h",
        OF_TRIAL,
    ),
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
    Case(
        "no snapshot is safe",
        "MlectlSnapshotOverdue",
        {**HOURLY, f"mlectl_oldest_snapshot_age_seconds{{{TRIAL}}}": "0+60x400"},
        "160m",
        OF_TRIAL,
    ),
    Case(
        "a snapshot is safe every hour",
        "MlectlSnapshotOverdue",
        {**HOURLY, f"mlectl_oldest_snapshot_age_seconds{{{TRIAL}}}": "0+60x70 0+60x70 0+60x70 0+60x70"},
        "280m",
    ),
    Case(
        "one round failed",
        "MlectlSnapshotOverdue",
        {**HOURLY, f"mlectl_oldest_snapshot_age_seconds{{{TRIAL}}}": "0+60x130 0+60x70"},
        "150m",
    ),
    Case(
        "snapshots are few by the spec",
        "MlectlSnapshotOverdue",
        {
            f"mlectl_snapshot_interval_seconds{{{TRIAL}}}": "21600x800",
            f"mlectl_oldest_snapshot_age_seconds{{{TRIAL}}}": "0+60x800",
        },
        "12h",
    ),
    Case("machines fail", "MlectlInfrastructureFailures", attempts("0x60", "0x9 5x50"), fires={}),
    Case("a single one fails", "MlectlInfrastructureFailures", attempts("0x60", "0x9 1x50")),
    Case("a few of very many fail", "MlectlInfrastructureFailures", attempts("0+10x60", "0x9 5x50")),
    Case("no pod has a GPU while runs wait", "MlectlGpuIdle", {**node(), **waiting(3)}, "35m", {}),
    Case("an ended pod holds none", "MlectlGpuIdle", {**node(), **waiting(3), **pod("p", 4, "Succeeded")}, "35m", {}),
    Case(
        "one node is used and one is free",
        "MlectlGpuIdle",
        {**node("a"), **node("b"), **waiting(3), **pod("p", 4)},
        "35m",
        {},
    ),
    Case("a node holds one run and has GPUs left", "MlectlGpuIdle", {**node(), **waiting(3), **pod("p", 1)}, "35m"),
    Case("they have been free for a short time", "MlectlGpuIdle", {**node(), **waiting(3)}, "25m"),
    Case("no run waits", "MlectlGpuIdle", {**node(), **waiting(0)}, "35m"),
    Case("the runs that wait want no GPU", "MlectlGpuIdle", {**node(), **waiting(3, gpus=0)}, "35m"),
    Case("all are taken", "MlectlGpuIdle", {**node(), **waiting(3), **pod("p", 4)}, "35m"),
    Case("the node takes no pods", "MlectlGpuIdle", {**node(takes_pods=False), **waiting(3)}, "35m"),
    Case("the node is not ready", "MlectlGpuIdle", {**node(ready=False), **waiting(3)}, "35m"),
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
    assert set(annotations) == {"summary", "description", "runbook"}
    runbook = CHECKOUT / annotations["runbook"]
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
    assert pages - {"docs/runbooks/index.md"} == {rule["annotations"]["runbook"] for rule in ALERTS.values()}
