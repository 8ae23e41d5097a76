"""For whoever waits for results: how far experiments are, what has come out, what went wrong."""

from __future__ import annotations

from collections.abc import Sequence

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models.common import BigValueTextMode

from dashboards.parts import CHOSEN, Panel, Query, Shade, figure, grid, lines
from dashboards.parts import page as new_page
from orchestrator.api.types import RunState
from orchestrator.controller.progress import STATES

BY = "by (namespace, experiment)"
NAME = "{{namespace}}/{{experiment}}"

ALL = f"sum {BY} (mlectl_runs{{{CHOSEN}}})"
FINISHED = f'sum {BY} (mlectl_runs{{{CHOSEN},state=~"Graded|Failed"}})'
STARTED = f"max {BY} (mlectl_experiment_started_timestamp_seconds{{{CHOSEN}}})"

COLOURS = {
    RunState.PENDING: "#8e8e8e",
    RunState.PREPARING: "#b877d9",
    RunState.QUEUED: "#c0a36e",
    RunState.STAGING: "#8ab8ff",
    RunState.RUNNING: "#3274d9",
    RunState.COLLECTING: "#5794f2",
    RunState.GRADING: "#fade2a",
    RunState.GRADED: "#56a64b",
    RunState.FAILED: "#e02f44",
}


FAR = (
    figure(
        "Phase",
        "In one word.",
        "none",
        Query(f"max by (namespace, experiment, phase) (mlectl_experiment_phase{{{CHOSEN}}})", f"{NAME}: {{{{phase}}}}"),
    ).text_mode(BigValueTextMode.NAME),
    figure(
        "Done", "Runs that are graded or have failed, of all runs.", "percentunit", Query(f"{FINISHED} / {ALL}", NAME)
    ),
    figure(
        "Estimated end",
        "If the rest goes as fast as what is done. Early on it is a guess.",
        "dateTimeFromNow",
        Query(f"1000 * ({STARTED} + (time() - {STARTED}) * {ALL} / ({FINISHED} > 0 < {ALL}))", NAME),
    ),
    figure(
        "Agent time used",
        "Over all runs; time that a lost machine took with it is in it.",
        "s",
        Query(f"max {BY} (mlectl_consumed_budget_seconds{{{CHOSEN}}})", NAME),
    ),
    lines(
        "Runs by state",
        "Staging and collecting count as running.",
        "none",
        Query(f"sum by (state) (mlectl_runs{{{CHOSEN}}})", "{{state}}"),
        stacked=True,
    ),
    lines(
        "Agents against the limit",
        "Runs that run, and spec.parallelism. An experiment without a limit has no line for it.",
        "none",
        Query(f'sum {BY} (mlectl_runs{{{CHOSEN},state="Running"}})', f"{NAME} running"),
        Query(f"max {BY} (mlectl_parallelism{{{CHOSEN}}})", f"{NAME} limit"),
    ),
    grid(
        "Runs",
        "Each competition and seed of the experiments that go on. Choose one experiment on top.",
        Query(f"max by (competition, seed) (mlectl_run_state{{{CHOSEN}}})"),
        rows="competition",
        columns="seed",
        shades=[Shade(state.value, COLOURS[state]) for state in STATES],
    ),
)

RESULTS = (
    figure(
        "Medals so far",
        "Runs that have a medal. Left out where a status has too few rows to count them.",
        "none",
        Query(f"sum by (medal) (mlectl_medals{{{CHOSEN}}})", "{{medal}}"),
        width=8,
    ),
    lines(
        "Any medal",
        "The headline figure over complete seeds with its 95 % interval; nothing before a seed is complete.",
        "percent",
        Query(
            f"max by (namespace, experiment, split, figure) (mlectl_any_medal_percent{{{CHOSEN}}})",
            f"{NAME} {{{{split}}}} {{{{figure}}}}",
        ),
        width=16,
    ),
    lines(
        "Medals of graded runs",
        "As runs are graded, before a seed is complete too: early on it is the figure of whatever was done first.",
        "percent",
        Query(
            f'100 * sum {BY} (mlectl_medals{{{CHOSEN}}}) / (sum {BY} (mlectl_runs{{{CHOSEN},state="Graded"}}) > 0)',
            NAME,
        ),
    ),
    lines(
        "Score over time",
        "Graded runs that would have a medal for what they had after so many hours of agent time, by their snapshots. "
        "Snapshots are graded after a run has ended.",
        "percent",
        Query(
            f"max by (namespace, experiment, hours) (mlectl_medal_percent_over_time{{{CHOSEN}}})",
            f"{NAME} after {{{{hours}}}} h",
        ),
    ),
)

FAILURES = (
    lines(
        "Failed runs by reason",
        "`mlectl failures` says what each reason means and what to do.",
        "none",
        Query(
            f'sum by (fault, reason) (mlectl_runs{{{CHOSEN},state="Failed"}})',
            "{{reason}} ({{fault}})",
        ),
        stacked=True,
    ),
    lines(
        "Attempts that went wrong, an hour",
        "Of all experiments; most are tried again and cost no run its result.",
        "none",
        Query('sum by (fault, reason) (increase(mlectl_attempts_total{reason!=""}[1h])) > 0', "{{reason}} ({{fault}})"),
    ),
    lines(
        "Snapshot age",
        "Since all that a running agent had was last safe in the store, of the agent for which that is longest.",
        "s",
        Query(f"max {BY} (mlectl_oldest_snapshot_age_seconds{{{CHOSEN}}})", NAME),
        Query(f"max {BY} (mlectl_snapshot_interval_seconds{{{CHOSEN}}})", f"{NAME} interval"),
    ),
    lines(
        "Quietest agent",
        "Since the last clock that a running agent's courier wrote. The controller looks at least every ten minutes.",
        "s",
        Query(f"max {BY} (mlectl_oldest_clock_age_seconds{{{CHOSEN}}})", NAME),
    ),
)


def page() -> dashboard.Dashboard:
    about = "How far experiments are, what has come out, and what went wrong."
    rows: dict[str, Sequence[Panel]] = {
        "How far they are": FAR,
        "What has come out": RESULTS,
        "What went wrong": FAILURES,
    }
    return new_page("mlectl-experiments", "mlectl: experiments", about, rows)
