"""An ExperimentRun from `kubectl apply` to its report, through real containers and a real S3 store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import demo
from tests.cluster.installation import Installation
from tests.cluster.rig.store import RUNS

GUESSER = """
import csv, os, random
rng = random.Random(int(os.environ["SEED"]))
with open(os.environ["DATA_DIR"] + "/sample_submission.csv", newline="") as file:
    header, *rows = csv.reader(file)
def guess(row):
    if len(row) == 2:
        return [row[0], rng.randrange(10)]
    shares = [rng.random() for _ in row[1:]]
    return [row[0], *(share / sum(shares) for share in shares)]
with open(os.environ["SUBMISSION_DIR"] + "/submission.csv", "w", newline="") as file:
    csv.writer(file).writerows([header, *map(guess, rows)])
"""
"""Another result for each seed, and the same wherever it runs."""

FILLER = f"""
import os, time
if os.environ["SEED"] == "0":
    exec({GUESSER!r})
    time.sleep(30)
with open("/home/code/much", "wb") as file:
    for _ in range(160):
        file.write(bytes(1 << 20))
time.sleep(3600)
"""
"""Fills its disk: in one seed after a snapshot of its submission, in the other without any."""


def results(status: dict[str, Any]) -> dict[tuple[str, int], tuple[Any, ...]]:
    return {
        (row["competition"], row["seed"]): (row["state"], row.get("score"), row.get("medal"), row.get("valid"))
        for row in status["results"]
    }


def test_the_results_are_those_of_one_machine(
    installed: Installation, kubectl: Callable[..., str], tmp_path: Path
) -> None:
    wanted = demo.experiment(installed.agents, "guesses", demo.spec(installed.images, GUESSER))
    installed.plane.apply(wanted)
    kubectl("wait", "exp/guesses", f"--namespace={installed.agents}", "--for=condition=Complete", "--timeout=480s")
    status = installed.plane.get("exp", "guesses", f"--namespace={installed.agents}")["status"]

    here = tmp_path / "guesses.yaml"
    here.write_text(yaml.safe_dump(demo.experiment("default", "guesses", wanted["spec"])))
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "orchestrator.cli", "run", here, "--home", home], check=True)
    local = json.loads((home / "control" / "experimentruns" / "default" / "guesses.json").read_text())

    assert status["phase"] == "Succeeded"
    assert results(status) == results(local["status"])
    assert len({row["score"] for row in status["results"]}) == 4, "each run has a score of its own"


def test_the_report_and_the_records_are_in_the_store(installed: Installation) -> None:
    client = installed.store.client(installed.store.controller)
    uid = installed.plane.get("exp", "guesses", f"--namespace={installed.agents}")["metadata"]["uid"]
    prefix = f"experiments/{installed.agents}/guesses-{uid[:8]}"
    record = json.loads(client.get_object(RUNS, f"{prefix}/runs/demo-wine/seed-1/attempt-1/run.json").read())

    assert record["isolation"] == "pod"
    assert record["network"] == "none"
    assert record["network_proof"]
    assert record["network_enforced"] is True
    assert record["node"] == "rig-node"
    assert record["exit_code"] == 0
    names = {item.object_name.removeprefix(f"{prefix}/") for item in client.list_objects(RUNS, prefix, recursive=True)}
    assert {"report.json", "report.html", "record.json", "spec.yaml", "reports/demo-wine/seed-1.json"} <= names


def test_an_agent_that_fills_its_disk_is_graded_by_its_last_snapshot(
    installed: Installation, kubectl: Callable[..., str]
) -> None:
    """And has its budget once: the kubelet evicts it, but it was no machine's fault."""
    wanted = demo.spec(
        installed.images,
        FILLER,
        competitions={"ids": ["demo-wine"]},
        budget={"wallClock": "20m"},
        resources={"cpu": "300m", "memory": "512Mi", "gpu": {"count": 0}, "storage": "64Mi"},
    )
    installed.plane.apply(demo.experiment(installed.agents, "filler", wanted))
    kubectl("wait", "exp/filler", f"--namespace={installed.agents}", "--for=condition=Complete", "--timeout=480s")
    found = installed.plane.get("exp", "filler", f"--namespace={installed.agents}")
    rows = [(row["seed"], row["state"], row["attempt"], row.get("reason")) for row in found["status"]["results"]]
    assert sorted(rows) == [(0, "Graded", 1, None), (1, "Failed", 1, "DiskFull")]
    prefix = f"experiments/{installed.agents}/filler-{found['metadata']['uid'][:8]}/runs/demo-wine"
    client = installed.store.client(installed.store.controller)
    outcome = json.loads(client.get_object(RUNS, f"{prefix}/seed-0/attempt-1/outcome.json").read())
    record = json.loads(client.get_object(RUNS, f"{prefix}/seed-0/attempt-1/run.json").read())
    assert (outcome["verdict"], outcome["reason"]) == ("grade", "DiskFull")
    assert record["has_submission"] is True
    assert "storage" in outcome["message"]
