"""Requests to the API server for each finished run, as experiments grow, and how often the status is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from benchmarks.controller.figures import Figure
from benchmarks.controller.world import COMPETITIONS, open_lab
from tests.cluster.lab import ControllerProcess, Lab, total
from tests.cluster.player import Script
from tests.cluster.rig.handle import ControlPlane

SIZES = ((25, 1), (75, 1), (75, 3))
"""Competitions and seeds."""
MOST_GROWTH = 1.1
LOOKS = 10
SERIES = re.compile(r'^mlectl_api_requests_total\{code="\d+",resource="(\w+)",verb="(\w+)"\} (\S+)$', re.MULTILINE)


def measure(control_plane: ControlPlane) -> Iterator[Figure]:
    by_run = []
    for competitions, seeds in SIZES:
        with open_lab(control_plane) as lab:
            lab.player.script = lambda cast: Script(run_seconds=1.0)
            runs = competitions * seeds
            lab.submit(competitions={"ids": COMPETITIONS[:competitions]}, seeds=seeds, parallelism=32)
            controller = lab.controller()
            lab.wait_for_phase("Succeeded", seconds=600)
            lab.wait(lambda: lab.status().get("report"), "the status says where the report is")
            sent = requests(controller)
            by_run.append(sum(sent.values()) / runs)
            note = ", ".join(f"{count / runs:.2f} {what}" for what, count in sent.most_common(5))
            yield Figure(f"requests a run, {runs} runs", by_run[-1], note=note)
            yield status_writes(controller, runs)
            for number in range(LOOKS):
                make_look_again(lab, controller, number)
            more = requests(controller)["patch experimentruns"] - sent["patch experimentruns"]
            yield Figure(f"status writes in {LOOKS} reconciles without a change", more, most=0)
            controller.stop()
    yield Figure("requests a run, 225 runs / 25 runs", by_run[-1] / by_run[0], most=MOST_GROWTH)


def make_look_again(lab: Lab, controller: ControllerProcess, number: int) -> None:
    """By a change of the ExperimentRun that changes nothing about it."""
    before = reconciles(controller)
    lab.annotate(note=f"look {number}")
    lab.wait(lambda: reconciles(controller) > before, "it was looked at again")


def requests(controller: ControllerProcess) -> Counter[str]:
    """All that were sent, by verb and kind, but those that depend on the time alone."""
    sent: Counter[str] = Counter()
    for resource, verb, count in SERIES.findall(controller.get("/metrics")):
        if resource != "leases" and verb not in ("watch", "list"):
            sent[f"{verb} {resource}"] += int(float(count))
    return sent


def status_writes(controller: ControllerProcess, runs: int) -> Figure:
    written, looked = requests(controller)["patch experimentruns"], reconciles(controller)
    return Figure(
        f"status writes a reconcile, {runs} runs", written / looked, most=1, note=f"{written} in {looked:.0f}"
    )


def reconciles(controller: ControllerProcess) -> float:
    return total(controller.get("/metrics"), "mlectl_reconcile_seconds_count")
