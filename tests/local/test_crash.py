"""Whatever is killed, nothing that was finished is lost, and the report is the one of an undisturbed experiment."""

import os
import random
import signal
import time

import psutil
import pytest

from orchestrator.cluster.local.leftovers import MARK

pytestmark = pytest.mark.slow

KILLS = 20


def told(report):
    """What a report says, but for times and the experiment's own uid."""
    keys = ("competition", "seed", "state", "attempt", "score", "medal", "valid", "percentile", "reason")
    return [{key: row[key] for key in keys} for row in report["rows"]], report["figures"]


def test_a_run_that_is_killed_twenty_times_gives_the_report_of_an_undisturbed_one(machine, new_machine):
    other = new_machine()
    spec = {"seeds": 2}
    assert other.run(other.write_spec(**spec)).returncode == 0

    chance = random.Random(0)
    document = machine.write_spec(**spec)
    for _ in range(KILLS):
        process = machine.start(document)
        time.sleep(chance.uniform(0.2, 3.0))
        process.kill()
        process.communicate()
    ended = machine.run(document)
    assert ended.returncode == 0, ended.stderr
    assert told(machine.report()) == told(other.report())


def test_a_killed_pod_is_tried_again_and_is_no_fault_of_the_agent(machine):
    machine.write_agent(
        """
        cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
        [ "$(ls /home/code 2>/dev/null)" ] || sleep 4
        """
    )
    process = machine.start(machine.write_spec(competitions={"ids": ["demo-wine"]}))
    tasks = machine.home / "control" / "tasks"
    while not list(tasks.glob("agent-*-a1-*/control/started")):
        assert process.poll() is None
        time.sleep(0.02)
    (folder,) = tasks.glob("agent-*-a1-*")
    command = ["orchestrator.cluster.local.pod", str(folder)]
    (pod,) = (p for p in psutil.process_iter(["cmdline"]) if (p.info["cmdline"] or [])[-2:] == command)
    os.kill(pod.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    assert process.returncode == 0
    (row,) = machine.report()["rows"]
    assert (row["attempt"], row["valid"]) == (2, True)
    assert row["attempts"][0]["reason"] == "PodDeleted"
    assert not [p for p in psutil.process_iter() if marked(p, str(folder))]


def marked(process, folder):
    try:
        return process.environ().get(MARK) == folder
    except psutil.Error:
        return False
