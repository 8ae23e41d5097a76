"""The screen of `mlectl submit`."""

from __future__ import annotations

from orchestrator.api.types import departures
from orchestrator.cli.place import key_of
from orchestrator.cli.submission import Submitted
from orchestrator.cli.text import paragraph
from orchestrator.report.words import count


def show_submitted(submitted: Submitted) -> str:
    """What was handed over, what sets it apart, and the way on."""
    run, name = submitted.run, str(key_of(submitted.run))
    size = f"{count(submitted.competitions, 'competition')} × {count(run.spec.seeds, 'seed')}"
    done = "submitted to" if submitted.is_new else "is already on"
    same = "" if submitted.is_new else ", with this very spec; nothing was changed"
    lines = [f"{name} {done} {submitted.cluster}, namespace {run.metadata.namespace}{same}   {size}"]
    if found := departures(run.spec):
        lines.append(paragraph("; ".join(found), "setting: "))
    return "\n".join([*lines, f"next: mlectl status {name} --watch"]) + "\n"
