"""What must be true once an experiment has ended, whatever happened on the way. No I/O: what was found is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.core.failures import is_agents
from orchestrator.core.model import AttemptKey, Outcome, RunKey, Verdict
from tests.cluster.chaos_store import Write
from tests.cluster.lab import total

CENT = 0.01
"""Seconds: what rounding may cost in a sum of a few hundred."""


@dataclass(frozen=True)
class Aftermath:
    """All that is left of an experiment, and what was meant to happen."""

    runs: frozenset[RunKey]
    zeros: frozenset[RunKey]
    """Runs whose agents were made to leave nothing."""
    stumbled: frozenset[RunKey]
    """Runs whose agents were made to fail but left a submission."""
    reports: Mapping[RunKey, Mapping[str, Any]]
    writes: Mapping[RunKey, Sequence[Write]]
    outcomes: Mapping[AttemptKey, Outcome]
    status: Object
    begun: Sequence[AttemptKey]
    """One for each agent's pod that began to run."""
    jobs: Sequence[str] = ()
    """Names of Jobs that are still there."""
    metrics: str = ""
    """Of the last controller."""
    judged: float = 0.0
    """Attempts judged, as counted by all controllers."""
    is_judged_by_one: bool = False
    """Whether one controller did it all, so that no count was lost with another."""
    published: Mapping[str, Any] = field(default_factory=dict)
    """report.json."""


def problems(found: Aftermath) -> list[str]:
    """Everything that is not as it must be, one sentence each."""
    checks = (graded_once, zeros_are_the_agents, judged_once, one_pod_an_attempt, status_agrees, metrics_agree, left)
    return [problem for check in checks for problem in check(found)]


def graded_once(found: Aftermath) -> Iterator[str]:
    for run in sorted(found.runs ^ found.reports.keys()):
        yield f"{name(run)} has {'no report' if run in found.runs else 'a report that nobody asked for'}."
    for run, writes in sorted(found.writes.items()):
        taken = sum(write.is_new is True for write in writes)
        if taken > 1 or any(write.replaces for write in writes):
            yield f"{name(run)} has a report that was written more than once: {writes}."
        if taken == 0 and all(write.is_new is False for write in writes):
            yield f"{name(run)} has a report that no grader wrote: {writes}."


def zeros_are_the_agents(found: Aftermath) -> Iterator[str]:
    zeros = {run for run, report in found.reports.items() if report["score"] is None or not report["valid_submission"]}
    for run in sorted(zeros - found.zeros):
        yield f"{name(run)} is a zero, and its agent did its work."
    for run in sorted(found.zeros - zeros):
        yield f"{name(run)} is not a zero, and its agent left nothing."
    for key, outcome in sorted(found.outcomes.items()):
        is_held_against_agent = outcome.reason is not None and is_agents(outcome.reason)
        if is_held_against_agent and key.run not in found.zeros | found.stumbled:
            yield f"{name(key.run)} attempt {key.attempt} is held against its agent: {outcome.reason}."


def judged_once(found: Aftermath) -> Iterator[str]:
    by_run: dict[RunKey, dict[int, Outcome]] = {run: {} for run in found.runs}
    for key, outcome in found.outcomes.items():
        by_run.setdefault(key.run, {})[key.attempt] = outcome
    for run, outcomes in sorted(by_run.items()):
        verdicts = [outcomes[number].verdict for number in sorted(outcomes)]
        if sorted(outcomes) != list(range(1, len(outcomes) + 1)):
            yield f"{name(run)} has gaps in its history: attempts {sorted(outcomes)} were judged."
        if verdicts[-1:] != [Verdict.GRADE] or set(verdicts[:-1]) - {Verdict.RETRY}:
            yield f"{name(run)} was judged {', '.join(verdicts) or 'never'}; only its last attempt may be graded."
        report = found.reports.get(run)
        if report is not None and report["attempt"] != len(outcomes):
            yield f"{name(run)} was graded for attempt {report['attempt']} of {len(outcomes)}."


def one_pod_an_attempt(found: Aftermath) -> Iterator[str]:
    for key, pods in sorted(Counter(found.begun).items()):
        if pods > 1:
            yield f"{name(key.run)} attempt {key.attempt} began in {pods} pods."


def status_agrees(found: Aftermath) -> Iterator[str]:
    status, counts = found.status, found.status.get("runs", {})
    if status.get("phase") != "Succeeded":
        yield f"The experiment is {status.get('phase')}."
    zeros = len(found.zeros)
    expected = {"total": len(found.runs), "graded": len(found.reports) - zeros, "failed": zeros}
    if {key: counts.get(key) for key in expected} != expected:
        yield f"The status counts {counts}; by the store it should be {expected}."
    rows = {RunKey(row["competition"], row["seed"]): row for row in status.get("results", ())}
    for run, row in sorted(rows.items()):
        if row.get("state") == "Failed" and not is_agents(row.get("reason")):
            yield f"{name(run)} has failed by {row.get('reason')}, which is no agent's doing."
    for where, shown in (("status", rows), ("report", published_rows(found))):
        for run, report in sorted(found.reports.items()):
            row = shown.get(run, {})
            told = (row.get("attempt"), row.get("score"), row.get("medal"))
            if told != (report["attempt"], report["score"], report["medal"]):
                yield f"{name(run)}: the {where} tells {told}, the store {report['attempt']}, {report['score']}."


def published_rows(found: Aftermath) -> dict[RunKey, Mapping[str, Any]]:
    return {RunKey(row["competition"], row["seed"]): row for row in found.published.get("rows", ())}


def metrics_agree(found: Aftermath) -> Iterator[str]:
    series = {"Graded": 'state="Graded"', "Failed": 'state="Failed"', "by agents": 'fault="agent".*state="Failed"'}
    shown = {what: total(found.metrics, rf"mlectl_runs\{{.*{marks}\}}") for what, marks in series.items()}
    zeros = len(found.zeros)
    if shown != {"Graded": len(found.reports) - zeros, "Failed": zeros, "by agents": zeros}:
        yield f"The metrics show {shown}; the store has {len(found.reports)} reports, {zeros} of them zeros."
    last = {key.run: outcome for key, outcome in sorted(found.outcomes.items())}
    consumed = sum(outcome.consumed_seconds for outcome in last.values())
    told = total(found.metrics, r"mlectl_consumed_budget_seconds\{.*\}")
    if abs(told - consumed) > CENT:
        yield f"The metrics show {told:.2f} s of agent time; the store has {consumed:.2f} s."
    judged = len(found.outcomes)
    if found.judged > judged or (found.is_judged_by_one and found.judged != judged):
        yield f"The metrics count {found.judged:.0f} attempts judged; the store has {judged} outcomes."


def left(found: Aftermath) -> Iterator[str]:
    for job in sorted(found.jobs):
        yield f"Job {job} is left over."


def name(run: RunKey) -> str:
    return f"{run.competition} seed {run.seed}"
