"""Which runs of an experiment a person means: one by its competition and seed, or a class of failures."""

from __future__ import annotations

from typing import NoReturn

from catalog.likeness import closest
from orchestrator.api.types import ExperimentRunStatus, ResultRow, RunState
from orchestrator.cli.exits import USAGE, Trouble
from orchestrator.cli.place import Found
from orchestrator.cli.results import all_rows
from orchestrator.core.failures import FAILURES, Reason
from orchestrator.core.model import Fault, RunKey
from orchestrator.core.names import describe


def row_of(found: Found, run: RunKey) -> ResultRow:
    """The row of one run; Trouble with the nearest competition if there is no such run."""
    if row := _row(found.run.status.results, run):
        return row
    if run.seed >= found.run.spec.seeds:
        raise Trouble(f"{found.name} has seeds 0 to {found.run.spec.seeds - 1}, not {run.seed}.", USAGE)
    rows = all_rows(found)
    if row := _row(rows, run):
        return row
    near = closest(run.competition, {row.competition for row in rows})
    hint = f" Did you mean {' or '.join(near)}?" if near else f" `mlectl runs {found.name}` lists its runs."
    raise Trouble(f"{found.name} has no run of {run.competition!r}.{hint}", USAGE)


def failed_row(found: Found, run: RunKey) -> ResultRow:
    """The row of one run that has failed; Trouble if it has not."""
    row = row_of(found, run)
    if row.state is RunState.GRADED:
        raise Trouble(f"{describe(run)} has a result, and a result is never replaced.", USAGE)
    if row.state is not RunState.FAILED:
        raise Trouble(f"{describe(run)} is {row.state}: it has not failed, so there is nothing to try again.", USAGE)
    return row


def failed_rows(found: Found, reason: str | None = None, fault: str | None = None) -> list[ResultRow]:
    """The failed runs of a class, or all that are missing; Trouble if there is none."""
    if not reason and not fault:
        return missing_rows(found.run.status) or _nothing_to_try(found, " without a result")
    wanted = _reason(reason) if reason else None
    rows = [
        row
        for row in found.run.status.results
        if row.state is RunState.FAILED
        and (wanted is None or row.reason == wanted)
        and (fault is None or _fault(row) == fault)
    ]
    which = "".join([f" with reason {wanted}" if wanted else "", f" by fault of {fault}" if fault else ""])
    return rows or _nothing_to_try(found, which)


def missing_rows(status: ExperimentRunStatus) -> list[ResultRow]:
    """The runs that have failed without a result. An agent that failed has one: it is a zero."""
    return [row for row in status.results if row.state is RunState.FAILED and row.valid is None]


def _nothing_to_try(found: Found, which: str) -> NoReturn:
    raise Trouble(f"{found.name} has no failed run{which}: there is nothing to try again.", USAGE)


def _row(rows: tuple[ResultRow, ...] | list[ResultRow], run: RunKey) -> ResultRow | None:
    return next((row for row in rows if (row.competition, row.seed) == run), None)


def _fault(row: ResultRow) -> Fault | None:
    return next((failure.fault for reason, failure in FAILURES.items() if reason == row.reason), None)


def _reason(word: str) -> Reason:
    for reason in Reason:
        if reason.lower() == word.lower():
            return reason
    near = closest(word, list(Reason))
    hint = f" Did you mean {' or '.join(near)}?" if near else f" There are {', '.join(Reason)}."
    raise Trouble(f"There is no reason {word!r}.{hint}", USAGE)
