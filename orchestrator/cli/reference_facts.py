"""Reference pages made from the lists that the code itself uses: `python -m orchestrator.cli.reference_facts`.

docs/reference/failures.md   core/failures.py
docs/reference/metrics.md    controller/metrics.py
docs/reference/store.md      storage/layout.py
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry

from orchestrator.controller.metrics import Metrics
from orchestrator.core.failures import FAILURES
from orchestrator.core.model import Fault
from orchestrator.storage import layout

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"

_FAILURES = """\
# Failures

Why an attempt or a run went wrong, from a closed list. `mlectl failures NAME`, events and reports print these rows.
This page is made from `orchestrator/core/failures.py` by `make docs`.

A fault of the agent's ends in a result (no medal). Any other leaves the run without one: it is tried again while
`spec.retries` allows it, is shown as missing afterwards, and is never counted as a zero. `mlectl retry NAME --reason
REASON` tries a class again, `--fault` all that were one side's doing.
"""

_FAULTS: Mapping[Fault, str] = {
    Fault.INFRASTRUCTURE: "The machine, the network or the store",
    Fault.PROVIDER: "Whoever provides the data",
    Fault.US: "A defect of mlectl",
    Fault.AGENT: "The agent",
    Fault.USER: "The person who runs the experiment",
}

_METRICS = """\
# Metrics

What the controller shows at `/metrics`, port 8081. Times are in seconds. This page is made from
`orchestrator/controller/metrics.py` by `make docs`.

A counter's series has `_total` at its end; a histogram has `_bucket`, `_sum` and `_count`. Gauges of an experiment go
when it goes.

"""

_STORE = """\
# Store layout

Three stores: buckets, or folders on one machine. This page is made from `orchestrator/storage/layout.py`, the one place
that knows keys, by `make docs`. [Security](../security.md) says who may read which.

"""


def failures_page() -> str:
    return "\n".join([_FAILURES, *_failures()])


def _failures() -> Iterator[str]:
    for fault, whose in _FAULTS.items():
        yield f"## {whose}\n\n`--fault {fault.value}`\n"
        yield "| Reason | What happened | What to do |\n| --- | --- | --- |"
        yield from (
            f"| `{row.reason.value}` | {row.meaning} | {row.what_to_do} |"
            for row in FAILURES.values()
            if row.fault is fault
        )
        yield ""


class Series(NamedTuple):
    """A family of series."""

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str


def metrics_page() -> str:
    rows = (
        f"| `{one.name}` | {one.kind} | {', '.join(f'`{label}`' for label in one.labels)} | {one.meaning} |"
        for one in sorted(series(Metrics().registry))
    )
    return _METRICS + "\n".join(["| Name | Kind | Labels | Meaning |", "| --- | --- | --- | --- |", *rows, ""])


def series(registry: CollectorRegistry) -> Iterator[Series]:
    """Every family of a registry. The library has no public word for the labels of one that has no series yet."""
    for collector in list(registry._collector_to_names):
        found: Iterable[Any] = collector.collect()
        for family in found:
            labelled: Any = family if hasattr(family, "_labelnames") else collector
            yield Series(family.name, family.type, tuple(labelled._labelnames), family.documentation)


def store_page() -> str:
    _, _, keys = inspect.cleandoc(layout.__doc__ or "").partition("\n\n")
    return f"{_STORE}```text\n{keys}\n```\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "failures.md": failures_page,
    "metrics.md": metrics_page,
    "store.md": store_page,
}


def main() -> None:
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
