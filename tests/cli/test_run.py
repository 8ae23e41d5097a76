import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.cli.places import place_of
from orchestrator.cluster.local.experiments import ExperimentFolder

SAMPLES = Path(__file__).resolve().parents[2] / "manifests" / "samples"

BAD = """\
apiVersion: mlectl.dev/v1alpha1
kind: ExperimentRun
metadata: {name: bad}
spec:
  competitions: {ids: [spooky-author-identificaton]}
  agent: {name: a, image: mlectl/agent-dummy:0.1.0}
  seeds: none
"""


def test_a_file_with_mistakes_starts_nothing_and_lists_them(mlectl, home, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    answer = mlectl("run", path)
    assert answer.code == 2
    head, competition, seeds = answer.err.splitlines()
    assert head == f"mlectl: {path} has 2 mistakes:"
    assert "line 5: spec.competitions.ids[0]: no competition 'spooky-author-identificaton'; did you mean" in competition
    assert seeds == "  line 7: spec.seeds: write a whole number, not 'none'"
    assert not home.experiments.exists()


@pytest.mark.parametrize("content, words", [(None, "can't be read"), (b"\xff\xfe\x00", "is not UTF-8 text")])
def test_a_file_that_cannot_be_read_is_told_in_a_sentence(mlectl, tmp_path, content, words):
    path = tmp_path / "spec.yaml"
    if content is not None:
        path.write_bytes(content)
    answer = mlectl("run", path)
    assert answer.code == 2
    assert words in answer.err


def test_an_image_that_is_no_bundled_agent_says_what_to_do(mlectl):
    answer = mlectl("run", SAMPLES / "smallest.yaml")
    assert answer.code == 2
    assert "--agent-folder" in answer.err


ONLY_DATA = """\
apiVersion: mlectl.dev/v1alpha1
kind: ExperimentRun
metadata: {name: only-data}
spec:
  competitions: {ids: [demo-wine]}
  seeds: 0
  agent: {name: dummy, image: mlectl/agent-dummy:0.1.0}
"""


def test_an_experiment_without_seeds_prepares_its_datasets_and_has_no_report(mlectl, home, tmp_path):
    path = tmp_path / "only-data.yaml"
    path.write_text(ONLY_DATA)
    command = [sys.executable, "-m", "orchestrator.cli", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "only-data   Succeeded   only prepares\n"), done.stderr
    assert len(list((tmp_path / "home").rglob("datasets/v1/demo-wine/manifest.json"))) == 1
    refused = mlectl("report", "only-data", "--local")
    assert refused.code == 3
    assert "has no runs (seeds: 0) and only prepares" in refused.err
    assert mlectl("failures", "only-data", "--local").out == "Nothing went wrong in only-data.\n"


WHOLE = """\
apiVersion: mlectl.dev/v1alpha1
kind: ExperimentRun
metadata: {name: whole}
spec:
  competitions: {ids: [demo-wine]}
  seeds: 1
  agent: {name: dummy, image: mlectl/agent-dummy:0.1.0}
  budget: {wallClock: 30s}
  snapshots: {every: 30s}
  resources: {cpu: "1", memory: 1Gi, gpu: {count: 0}, storage: 1Gi}
  network: {mode: none}
"""


@pytest.mark.slow
def test_a_whole_experiment_from_its_file_to_its_report(mlectl_process, tmp_path):
    mlectl = mlectl_process
    path = tmp_path / "whole.yaml"
    path.write_text(WHOLE)
    first = mlectl("run", path)
    assert first.code == 0, first.err
    assert "1 of 1 run with a result" in first.out
    assert "Graded: demo-wine, seed 0" in first.err
    page = next(line.partition("Report: ")[2] for line in first.out.splitlines() if "Report: " in line)
    assert "<html" in Path(page).read_text()

    again = mlectl("run", path, "-o", "json")
    assert json.loads(again.out)["status"]["phase"] == "Succeeded"
    assert "Graded" not in again.err

    assert "Succeeded" in mlectl("status", "whole").out
    assert mlectl("logs", "whole", "demo-wine", "0").code == 0
    assert mlectl("report", "whole", "-o", "json").code == 0
    assert mlectl("export", "whole", tmp_path / "exported").code == 0

    path.write_text(WHOLE.replace("seeds: 1", "seeds: 2"))
    changed = mlectl("run", path)
    assert changed.code == 2
    assert "exists with another spec" in changed.err


def test_an_object_is_where_a_person_can_look():
    assert place_of("file:///data/my%20runs", "a/report.html") == "/data/my runs/a/report.html"
    assert place_of("s3://runs/x?endpoint=http://h:1", "a/report.html") == "s3://runs/x/a/report.html"


@pytest.mark.slow
def test_ctrl_c_stops_with_notice_and_says_how_to_go_on(tmp_path, home):
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "start.sh").write_text("while true; do sleep 1; done\n")
    path = tmp_path / "endless.yaml"
    path.write_text(WHOLE.replace("wallClock: 30s", "wallClock: 1h"))
    command = [sys.executable, "-m", "orchestrator.cli", "run", str(path), "--agent-folder", str(folder)]
    experiments = ExperimentFolder(home.experiments)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: any(run.status.runs.running for run in experiments.list()) or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, told
    assert f"mlectl: Interrupted. What is done is kept; go on with: mlectl run {path}" in told
    (run,) = experiments.list()
    assert not run.status.phase.is_finished


def wait_until(is_so, patience_seconds=120):
    until = time.monotonic() + patience_seconds
    while not is_so():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)
