"""Figures as a table on the terminal, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.competitions.machine import describe
from benchmarks.controller.figures import Figure

HEADINGS = ("", "measured", "target", "load", "")

PAGE = """\
# What the controller costs

`make bench` measures this on a real API server, etcd, controller manager and scheduler on one machine, with nodes whose
kubelet and workers are played, and stores in folders; `python -m benchmarks.controller --write` renews this page.
*load* is the machine's load average over the minute before: with more of it than cores, times are too long, and counts
and memory stay what they are. Parts may have been measured at different times, each at its own load.

{machine}. {date}.

{table}

- *creating*: one reconcile that starts 225 agents, from reading the store to the status and its events, against a loop
  that POSTs the same 225 Jobs over one connection. The controller sends eight at a time. Rounds alternate, the best of
  each side counts; the controller manager and the scheduler are halted meanwhile, so that pods do not disturb either.
- *starting*: from the start of the process `mlectl controller` until its metrics show every run of two experiments,
  with so many Jobs on the API server: finished ones with their pods, outcomes and reports in the store, and
  suspended ones of each last seed. *first*: the larger experiment has no notes yet, and all of it is read from the
  store; *with notes*: the next start. Python's own start and the taking of the Lease are in it.
- *idle*: CPU time of that controller, over half a minute in which nothing happens.
- *reaction*: from the API server's answer to the status that ends an agent's pod, to the watch event of its grade Job.
  Five end a second.
- *requests*: everything the controller sent but its Lease, lists and watches, until all is graded. Status
  writes come at most once a reconcile, so a slow experiment has more of them; the others are counted by the run.
"""


def show(figures: Sequence[Figure]) -> None:
    table = Table(box=box.SIMPLE)
    for number, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if number in (1, 3) else "left")
    for figure in figures:
        table.add_row(*figure.cells)
    Console().print(table)


def page(figures: Sequence[Figure]) -> str:
    """docs/benchmarks-controller.md."""
    rows = [HEADINGS, ("---", "---:", "---", "---:", "---"), *(figure.cells for figure in figures)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return PAGE.format(machine=describe().partition(", numpy")[0], date=f"{datetime.now(UTC):%B %Y}", table=lines)
