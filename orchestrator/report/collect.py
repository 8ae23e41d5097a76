"""From the runs store to an ExperimentResult: every run's report, records and outcomes, and the figures they give.

    collect(FileStore(root), ExperimentKeys("default", "demo", uid))

Reads only. The store alone is enough, at any moment: a run that has not ended is a row without a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from orchestrator.api.types import ExperimentRun, ExperimentRunSpec, ResultRow, departures
from orchestrator.core.model import RunKey
from orchestrator.core.summary import RunResult
from orchestrator.report.documents import CollectError, RunRecord
from orchestrator.report.facts import competitions_of
from orchestrator.report.failures import classify
from orchestrator.report.figures import split_result, splits_covered
from orchestrator.report.grading import differing_lines
from orchestrator.report.ran import NOT_RECORDED, UNPROTECTED, describe_ran, recorded_departures
from orchestrator.report.result import Doubt, ExperimentResult, RunRow, SplitResult
from orchestrator.report.rows import read_row
from orchestrator.report.traces import Traces, read_traces
from orchestrator.report.words import count
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store

HIDDEN = "(not shown)"


def collect(
    runs: Store, keys: ExperimentKeys, *, told: Iterable[ResultRow] = (), results_digest: str = ""
) -> ExperimentResult:
    """All that the store tells of an experiment. `told` are rows of its status, for what only a controller saw."""
    spec = read_spec(runs, keys)
    if not spec.seeds:
        raise CollectError(f"{keys.name} has no runs (seeds: 0) and only prepares; `mlectl status` shows its datasets.")
    facts = competitions_of(spec)
    traces = read_traces(runs, keys)
    by_key = {RunKey(row.competition, row.seed): row for row in told}
    rows = tuple(
        read_row(RunKey(competition.id, seed), traces.get(RunKey(competition.id, seed), Traces()), by_key)
        for competition in facts
        for seed in range(spec.seeds)
    )
    records = {key: record for key, trace in traces.items() if trace.result and (record := trace.record)}
    every = [record for trace in traces.values() if trace.result for record in trace.records.values()]
    ran = describe_ran(spec, records, every)
    doubtful = tuple(Doubt(competition=one.id, why=one.doubtful) for one in facts if one.doubtful)
    return ExperimentResult(
        namespace=keys.namespace,
        name=keys.name,
        uid=keys.uid,
        spec=_to_show(spec),
        seeds=spec.seeds,
        competitions=facts,
        rows=rows,
        figures=_figures(rows, spec.seeds),
        figures_without_doubtful=_figures(rows, spec.seeds, leave_out={doubt.competition for doubt in doubtful}),
        doubtful=doubtful,
        departures=tuple(
            dict.fromkeys([*departures(spec), *recorded_departures(records.values()), *_replaced(traces.values())])
        ),
        unprotected=UNPROTECTED in ran.isolation,
        failures=classify(rows),
        ran=ran,
        notes=(*_notes(rows, records, ran.isolation), *_line_notes(traces)),
        results_digest=results_digest,
    )


def _replaced(traces: Iterable[Traces]) -> Iterator[str]:
    if number := sum(trace.is_replaced for trace in traces):
        yield f"{count(number, 'run')} tried again after the agent had failed (published: never)"


def _to_show(spec: ExperimentRunSpec) -> dict[str, Any]:
    """The spec without the values of environment variables: a report is passed on, and a key may be among them."""
    shown = spec.to_dict()
    for variable in shown["agent"].get("env", ()):
        if "value" in variable:
            variable["value"] = HIDDEN
    return shown


def read_spec(runs: Store, keys: ExperimentKeys) -> ExperimentRunSpec:
    """The spec that the experiment was started with."""
    data = runs.read(keys.spec)
    if data is None:
        raise CollectError(
            f"There is no experiment {keys.name} in {runs.url}: {keys.spec} is missing. Check its name and namespace."
        )
    try:
        return ExperimentRun.model_validate(yaml.safe_load(data)).spec
    except (yaml.YAMLError, ValidationError) as error:
        raise CollectError(
            f"{keys.spec} in {runs.url} is not an ExperimentRun that this version of mlectl can read: {error}"
        ) from error


def _figures(rows: Sequence[RunRow], seeds: int, leave_out: set[str] | None = None) -> tuple[SplitResult, ...]:
    """The figures of every split that was run; with `leave_out`, of those that change by leaving competitions out."""
    results = [
        RunResult(
            row.competition,
            row.seed,
            medal=row.medal,
            above_median=row.above_median,
            valid=bool(row.valid),
            submitted=row.submitted,
        )
        for row in rows
        if row.counts
    ]
    splits = splits_covered({row.competition for row in rows})
    if leave_out is not None:
        splits = {name: rest for name, ids in splits.items() if ids & leave_out and (rest := ids - leave_out)}
    return tuple(split_result(name, ids, results, seeds=range(seeds)) for name, ids in splits.items())


def _notes(rows: Sequence[RunRow], records: Mapping[RunKey, RunRecord], isolation: Sequence[str]) -> tuple[str, ...]:
    notes = []
    graded = sum(row.counts for row in rows)
    if len(records) < graded or NOT_RECORDED in isolation:
        unknown = graded - sum(record.isolation is not None for record in records.values())
        notes.append(f"{unknown} of {graded} results have no record of how their agent was kept apart.")
    if UNPROTECTED in isolation and len(set(isolation)) > 1:
        notes.append("Some agents ran unprotected, so the whole is.")
    suspect = [f"{row.competition} seed {row.seed}" for row in rows if row.warnings]
    if suspect:
        notes.append(f"Suspect, look before believing: {', '.join(suspect)}.")
    return tuple(notes)


def _line_notes(traces: Mapping[RunKey, Traces]) -> list[str]:
    """Runs whose score was held against other medal lines than the catalog has now."""
    return [
        f"{key.competition} seed {key.seed} was graded against other medal lines: {', '.join(lines)}."
        for key, trace in sorted(traces.items())
        if trace.result and (lines := differing_lines(trace.result))
    ]
