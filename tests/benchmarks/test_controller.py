"""The benchmark of the controller tells what it measured; the measuring itself needs the rig of tests/cluster."""

from __future__ import annotations

import os
import socket
import time

import pytest

import benchmarks.controller
from benchmarks.controller.creating import as_new
from benchmarks.controller.figures import Figure, percentile
from benchmarks.controller.processes import cpu_seconds, peak_mb
from benchmarks.controller.results import keep, read
from benchmarks.controller.table import page, show
from benchmarks.controller.world import COMPETITIONS
from tests.cluster.rig.errors import RigError

MET = Figure("creating", 1.2, most=1.5, note="of 225", load=3.0)
MISSED = Figure("reaction p99", 1.7, "s", most=1.0, load=12.5)
SHOWN = Figure("requests a run", 7.25, load=3.0)


def test_a_figure_is_met_up_to_its_target():
    assert Figure("exactly", 1.5, most=1.5).is_met
    assert not MISSED.is_met
    assert SHOWN.is_met


def test_a_table_says_which_target_was_missed(capsys):
    show([MET, MISSED])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert any("creating" in line and "met" in line for line in lines)
    assert any("reaction" in line and "missed" in line and "12.5" in line for line in lines)


def test_a_page_has_every_figure_and_no_name_of_a_machine():
    text = page([MET, MISSED, SHOWN])
    assert "| creating | 1.2 | ≤ 1.5 met | 3 | of 225 |" in text
    assert "| reaction p99 | 1.7 s | ≤ 1 s missed | 12.5 |  |" in text
    assert "| requests a run | 7.25 |  | 3 |  |" in text
    assert f"{os.cpu_count()} cores" in text
    assert socket.gethostname() not in text.split()


def test_figures_are_kept_part_by_part(tmp_path):
    path = tmp_path / "kept" / "controller.json"
    keep("creating", [MET], path)
    keep("requests", [SHOWN], path)
    keep("creating", [MISSED], path)
    assert read(path) == {"creating": (MISSED,), "requests": (SHOWN,)}


def test_percentiles_are_values_that_were_measured():
    values = [float(number) for number in range(100, 0, -1)]
    assert percentile(values, 0.5) == 51.0
    assert percentile(values, 0.99) == 100.0
    assert percentile([3.0], 0.99) == 3.0


def test_a_process_is_told_what_it_used():
    before = cpu_seconds(os.getpid())
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    assert 0.15 < cpu_seconds(os.getpid()) - before < 5
    held = bytearray(os.urandom(1)) * (64 << 20)
    assert peak_mb(os.getpid()) > len(held) >> 20


def test_the_loop_posts_what_the_controller_posted():
    job = {
        "metadata": {"name": "a", "namespace": "one", "uid": "u", "resourceVersion": "1", "labels": {"x": "y"}},
        "spec": {
            "suspend": False,
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}},
            "template": {
                "metadata": {"labels": {"x": "y", "batch.kubernetes.io/controller-uid": "u", "job-name": "a"}},
                "spec": {"containers": []},
            },
        },
        "status": {"ready": 0},
    }
    assert as_new(job, "two") == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a", "namespace": "two", "labels": {"x": "y"}},
        "spec": {
            "suspend": False,
            "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": []}},
        },
    }


@pytest.mark.parametrize(("figures", "is_met"), [([MET, SHOWN], True), ([MET, MISSED], False)])
def test_a_missed_target_fails_the_benchmark(monkeypatch, figures, is_met):
    monkeypatch.setattr(benchmarks.controller, "find", lambda program: program)
    monkeypatch.setattr(benchmarks.controller, "measure", lambda parts: figures)
    assert benchmarks.controller.run() is is_met


def test_without_a_rig_nothing_is_measured_and_no_target_is_met(monkeypatch, capsys):
    def find(program):
        raise RigError(f"{program} is not built; run make cluster-build.")

    monkeypatch.setattr(benchmarks.controller, "find", find)
    assert not benchmarks.controller.run()
    assert capsys.readouterr().out == "not measured: etcd is not built; run make cluster-build.\n"


def test_the_published_competitions_are_used():
    assert len(COMPETITIONS) == 75
