"""What was run, put together from the records of all attempts that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.api.departures import describe_allowed
from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.model import RunKey
from orchestrator.report.documents import RunRecord
from orchestrator.report.result import WhatRan

UNPROTECTED = "unprotected"
NOT_RECORDED = "not recorded"


def describe_ran(spec: ExperimentRunSpec, records: Mapping[RunKey, RunRecord], every: Iterable[RunRecord]) -> WhatRan:
    """What the records agree on, and where they differ, each value once.

    `records` are of the attempts that count; `every` has those of earlier attempts too, because an agent that resumes
    brings along what it got hold of before.
    """
    attempts = list(every)
    found = [records[key] for key in sorted(records)]
    clocks = [record.clock for record in found if record.clock]
    datasets: dict[str, list[str]] = {}
    for key in sorted(records):
        datasets.setdefault(key.competition, []).extend(filter(None, [records[key].dataset_digest]))
    return WhatRan(
        agent=spec.agent.name,
        images=_distinct([spec.agent.image], (_image(record) for record in found)),
        command=next((record.command for record in found if record.command), _command(spec)),
        benchmark=spec.benchmark,
        mlectl_versions=_distinct([], (record.mlectl for record in found)),
        network=tuple(
            f"{network}{_allowed(spec)}"
            for network in _distinct([], map(_network, attempts)) or (f"{spec.network.mode} (asked for)",)
        ),
        isolation=_distinct([], (record.isolation or NOT_RECORDED for record in attempts)),
        hardware=_distinct([], (str(record.hardware) if record.hardware else None for record in found)),
        datasets={competition: _distinct([], digests) for competition, digests in datasets.items() if digests},
        environment=tuple(variable.name for variable in spec.agent.env),
        models=_distinct([], (model for record in found for model in record.models)),
        started_at=min((clock.started_at for clock in clocks if clock.started_at), default=None),
        ended_at=max((clock.stopped_at for clock in clocks if clock.stopped_at), default=None),
    )


def recorded_departures(records: Iterable[RunRecord]) -> tuple[str, ...]:
    """Departures from the published setting that runs recorded, beyond those that the spec shows."""
    return _distinct([], (departure for record in records for departure in record.departures))


def _command(spec: ExperimentRunSpec) -> tuple[str, ...]:
    return (*(spec.agent.command or ()), *spec.agent.args)


def _image(record: RunRecord) -> str | None:
    if record.image and record.image_digest and record.image_digest not in record.image:
        return f"{record.image}@{record.image_digest}"
    return record.image


def _network(record: RunRecord) -> str | None:
    if record.network is None or record.network_enforced is None or record.network == "open":
        return record.network
    return f"{record.network}, {'enforced' if record.network_enforced else 'not enforced'}"


def _allowed(spec: ExperimentRunSpec) -> str:
    """What the agent could reach beyond its mode. No spec changes once it has started."""
    return f", also {describe_allowed(spec.network.allow)}" if spec.network.allow else ""


def _distinct(first: Sequence[str], more: Iterable[str | None]) -> tuple[str, ...]:
    """Each value once, in order of appearance; a bare name gives way to one that says more."""
    values = list(dict.fromkeys([*first, *(value for value in more if value)]))
    return tuple(value for value in values if not any(other.startswith(f"{value}@") for other in values))
