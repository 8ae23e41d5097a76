"""Write an experiment's report into its store: report.html, record.json and report.json, the last one last.

report.json is what says that a report is there, so a stop between two writes only means that all are written again.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.api.types import ResultRow
from orchestrator.report.collect import collect
from orchestrator.report.html import to_html
from orchestrator.report.record import build_record
from orchestrator.report.reportjson import to_json
from orchestrator.report.result import ExperimentResult
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store


def publish(
    runs: Store, keys: ExperimentKeys, *, results_digest: str = "", told: Iterable[ResultRow] = ()
) -> ExperimentResult:
    """Collect the result and write its three documents; `told` and `results_digest` are as for `collect`."""
    result = collect(runs, keys, told=told, results_digest=results_digest)
    report = to_json(result)
    runs.write(keys.report_html, to_html(result).encode())
    runs.write(keys.record, build_record(runs, keys, result, report))
    runs.write(keys.report, report)
    return result
