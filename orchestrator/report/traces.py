"""What the runs of an experiment left in the store: reports, records, clocks and outcomes, read all at once.

The newest attempt counts: a report about an older one is not looked at, as in `core.history`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from orchestrator.core.model import Outcome, RunKey, Verdict
from orchestrator.report.documents import ClockRecord, RunRecord, RunReport, parse, parse_outcome
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store

READERS = 16
"""Objects read at once: they are small, and a store far away answers each in its own time."""

_RUN = r"(?P<competition>[^/]+)/seed-(?P<seed>\d+)"
_REPORT = re.compile(rf"reports/{_RUN}\.json")
_TRACE = re.compile(rf"runs/{_RUN}/attempt-(?P<attempt>\d+)/(?P<name>outcome|run|clock)\.json")


@dataclass
class Traces:
    """Everything that one run left, by attempt."""

    report: RunReport | None = None
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    records: dict[int, RunRecord] = field(default_factory=dict)
    clocks: dict[int, ClockRecord] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """The attempt that counts; 0 before the first."""
        reported = self.report.attempt if self.report else 0
        return max(0, reported, *self.outcomes, *self.records, *self.clocks)

    @property
    def result(self) -> RunReport | None:
        """The report, if it is about the newest attempt."""
        return self.report if self.report and self.report.attempt == self.newest else None

    @property
    def is_replaced(self) -> bool:
        """Whether an attempt that had its result was followed by another one: a person wanted that."""
        return any(
            outcome.verdict is Verdict.GRADE for attempt, outcome in self.outcomes.items() if attempt < self.newest
        )

    @property
    def outcome(self) -> Outcome | None:
        return self.outcomes.get(self.newest)

    @property
    def record(self) -> RunRecord | None:
        """What the courier wrote. Which image a tag stood for only the platform knows, so that is from the outcome."""
        record, outcome = self.records.get(self.newest), self.outcome
        digest = outcome.image_id.rpartition("@")[2] if outcome and outcome.image_id else None
        if record is None or record.image_digest or digest is None:
            return record
        return record.model_copy(update={"image_digest": digest})


def read_traces(runs: Store, keys: ExperimentKeys) -> dict[RunKey, Traces]:
    """What each run left; a run that left nothing is not in it."""
    names = [*runs.keys(keys.runs), *runs.keys(keys.reports)]
    wanted = [key for key in names if _TRACE.fullmatch(_below(key, keys)) or _REPORT.fullmatch(_below(key, keys))]
    traces: dict[RunKey, Traces] = defaultdict(Traces)
    with ThreadPoolExecutor(READERS) as pool:
        for key, data in zip(wanted, pool.map(runs.read, wanted), strict=True):
            if data is not None:
                _put(traces, key, _below(key, keys), data)
    return traces


def _below(key: str, keys: ExperimentKeys) -> str:
    return key.removeprefix(f"{keys.prefix}/")


def _put(traces: dict[RunKey, Traces], key: str, name: str, data: bytes) -> None:
    if found := _REPORT.fullmatch(name):
        traces[RunKey(found["competition"], int(found["seed"]))].report = parse(RunReport, key, data)
    elif found := _TRACE.fullmatch(name):
        run, attempt = traces[RunKey(found["competition"], int(found["seed"]))], int(found["attempt"])
        if found["name"] == "outcome":
            run.outcomes[attempt] = parse_outcome(key, data)
        elif found["name"] == "run":
            run.records[attempt] = parse(RunRecord, key, data)
        else:
            run.clocks[attempt] = parse(ClockRecord, key, data)
