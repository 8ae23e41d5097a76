"""For whoever keeps mlectl running: waits, use of the machines, and the health of controller, API server and store."""

from __future__ import annotations

from collections.abc import Sequence

from grafana_foundation_sdk.builders import dashboard

from dashboards.parts import CHOSEN, WIDTH, Panel, Query, figure, lines
from dashboards.parts import page as new_page

RATE = "[$__rate_interval]"
RARE = "[6h]"
"""Runs are few: their quantiles need a long window."""

GPU = 'resource="nvidia_com_gpu"'
"""As kube-state-metrics calls it."""
KUEUE_GPU = 'resource="nvidia.com/gpu"'

BY = "by (namespace, experiment)"
RUNNING = f'max {BY} (mlectl_runs{{{CHOSEN},state="Running"}})'
LIMIT = (
    f"max {BY} (mlectl_parallelism{{{CHOSEN}}}) and on (namespace, experiment) "
    'mlectl_experiment_phase{phase!~"Succeeded|Degraded|Failed|Suspended"}'
)
GPUS = f"max {BY} (mlectl_run_gpus{{{CHOSEN}}})"


def quantiles(metric: str, window: str, by: str = "le", legend: str = "") -> tuple[Query, Query]:
    """Half of them took less than the first, nine in ten less than the second."""
    median, most = (
        Query(f"histogram_quantile({share}, sum by ({by}) (rate({metric}_bucket{window})))", f"{legend}{name}")
        for share, name in ((0.5, "median"), (0.9, "nine in ten"))
    )
    return median, most


NOW = (
    figure("Leaders", "One replica leads, the others stand by.", "none", Query("sum(mlectl_leader)")),
    figure("Replicas", "By version.", "none", Query("count by (version) (mlectl_build_info)", "{{version}}")),
    figure("Experiments", "By phase.", "none", Query("sum by (phase) (mlectl_experiments)", "{{phase}}")),
    figure("Runs that wait for a node", "Of all experiments.", "none", Query('sum(mlectl_runs{state="Queued"})')),
)

RUNS = (
    lines(
        "Wait for a node",
        "From an agent Job's creation to its node.",
        "s",
        *quantiles("mlectl_run_queue_seconds", RARE),
    ),
    lines(
        "Staging",
        "From a node to the agent's start: image, dataset, probe.",
        "s",
        *quantiles("mlectl_run_staging_seconds", RARE),
    ),
    lines(
        "Staging throughput",
        "Bytes of datasets as agents see them, whether they came from the store or from a cache. Of one run: by the "
        "time from a node to the agent's start, so image and probe slow it down.",
        "Bps",
        Query("sum(rate(mlectl_staged_bytes_total[1h]))", "all together"),
        Query(
            f"sum(rate(mlectl_staged_bytes_total{RARE})) / sum(rate(mlectl_run_staging_seconds_sum{RARE}))", "one run"
        ),
    ),
    lines("Agent time", "Of attempts that were judged.", "s", *quantiles("mlectl_run_agent_seconds", RARE)),
    lines("Grading", "From a grade Job's creation to its end.", "s", *quantiles("mlectl_run_grading_seconds", RARE)),
    lines(
        "Agents against the limit",
        "Of the chosen experiments together, the limit of those at work.",
        "none",
        Query(f"sum({RUNNING})", "running"),
        Query(f"sum({LIMIT})", "limit"),
    ),
    lines(
        "GPUs",
        "Of the whole cluster, whoever uses them. Needs kube-state-metrics.",
        "none",
        Query(f"sum(kube_node_status_allocatable{{{GPU}}})", "there"),
        Query(
            f'sum(kube_pod_container_resource_requests{{{GPU},node!=""}} '
            'and on (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"} == 1))',
            "taken",
        ),
    ),
    lines(
        "GPUs against quotas",
        "Of the chosen experiments: what their agents hold, and what spec.parallelism lets them. Of the cluster: "
        "Kueue's quotas, where Kueue is there and shows them (metrics.enableClusterQueueResources).",
        "none",
        Query(f"sum({RUNNING} * {GPUS})", "agents"),
        Query(f"sum(({LIMIT}) * {GPUS})", "limit of the agents"),
        Query(f"sum by (cluster_queue) (kueue_cluster_queue_resource_usage{{{KUEUE_GPU}}})", "{{cluster_queue}}"),
        Query(
            f"sum by (cluster_queue) (kueue_cluster_queue_nominal_quota{{{KUEUE_GPU}}})", "quota of {{cluster_queue}}"
        ),
    ),
    lines(
        "Snapshot age, and the quietest agent",
        "Since all that a running agent had was last safe in the store, and since its courier last wrote the clock; "
        "each of the agent for which that is longest.",
        "s",
        Query(f"max(mlectl_oldest_snapshot_age_seconds{{{CHOSEN}}})", "snapshot"),
        Query(f"max(mlectl_oldest_clock_age_seconds{{{CHOSEN}}})", "clock"),
    ),
)

DATASETS = (
    lines(
        "Datasets that are waited for",
        "Each once, by all experiments at work. `mlectl prepare` says what is missing for one that is unavailable.",
        "none",
        Query("max by (state) (mlectl_prepare_datasets)", "{{state}}"),
        stacked=True,
    ),
    lines(
        "Bytes of preparations",
        "Of the steps that they are at, such as downloads.",
        "bytes",
        Query("max by (kind) (mlectl_prepare_bytes)", "{{kind}}"),
    ),
    lines(
        "Tries that ended, an hour",
        "Failed ones are tried again; refused ones wait for somebody to act.",
        "none",
        Query("sum by (result) (increase(mlectl_prepare_tries_total[1h]))", "{{result}}"),
    ),
    lines(
        "Time of a preparation",
        "From a prepare Job's creation to its end, of those that succeeded.",
        "s",
        *quantiles("mlectl_prepare_seconds", RARE),
    ),
)

CONTROLLER = (
    lines("Duration of a reconcile", "", "s", *quantiles("mlectl_reconcile_seconds", RATE)),
    lines(
        "Reconciles",
        "Those that failed are tried again; `defect` is a bug of ours.",
        "ops",
        Query(f"sum(rate(mlectl_reconcile_seconds_count{RATE}))", "all"),
        Query(f"sum by (cause) (rate(mlectl_reconcile_errors_total{RATE}))", "failed: {{cause}}"),
        Query(f"sum(rate(mlectl_queue_retries_total{RATE}))", "tried again"),
    ),
    lines("Experiments that wait to be looked at", "", "none", Query("sum(mlectl_queue_depth)", "waiting")),
    lines("Longest wait to be looked at", "", "s", Query("max(mlectl_queue_oldest_seconds)", "oldest")),
)

OTHERS = (
    lines(
        "Requests to the API server",
        "Code 0: no answer.",
        "reqps",
        Query(f"sum by (verb, code) (rate(mlectl_api_requests_total{RATE}))", "{{verb}} {{code}}"),
    ),
    lines(
        "Time of the API server's answers",
        "",
        "s",
        *quantiles("mlectl_api_request_seconds", RATE, "le, verb", "{{verb}} "),
    ),
    lines(
        "Failed requests to the stores",
        "Each is tried again; nothing is lost while a store is away, but nothing moves either.",
        "reqps",
        Query(f"sum by (store) (rate(mlectl_store_errors_total{RATE}))", "{{store}}"),
        width=WIDTH,
    ),
)


def page() -> dashboard.Dashboard:
    about = "Waits, use of the machines, and the health of controller, API server and store."
    rows: dict[str, Sequence[Panel]] = {
        "Now": NOW,
        "Runs": RUNS,
        "Datasets": DATASETS,
        "Controller": CONTROLLER,
        "What it needs": OTHERS,
    }
    return new_page("mlectl-operations", "mlectl: operations", about, rows)
