"""The courier beside a real launcher and a real agent."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys

import pytest

from orchestrator.worker.record import read_clock, read_record
from tests.worker.attempt import Attempt
from tests.worker.pod import PodAttempt
from tests.worker.processes import agents_of

FOREVER = """
mark("running")
while True:
    time.sleep(0.1)
"""


def test_what_an_agent_leaves_is_in_the_store_when_its_record_is(attempt: Attempt) -> None:
    record = attempt.run(
        """
submit("id,x\\n1,2\\n")
(code / "src").mkdir()
(code / "src" / "main.py").write_text("print(1)")
(logs / "notes.txt").write_text("noted")
print("hello")
sys.exit(3)
"""
    )
    assert attempt.in_store("submission.csv") == b"id,x\n1,2\n"
    assert attempt.names_in("code.tar") == ["src", "src/main.py"]
    assert sorted(attempt.names_in("logs.tar")) == ["agent.log", "notes.txt"]
    assert attempt.in_store("logs/agent.log") == b"hello\n"
    assert record["submission"]["sha256"] == hashlib.sha256(b"id,x\n1,2\n").hexdigest()
    assert (record["exit_code"], record["deadline_reached"], record["interrupted"]) == (3, False, False)
    assert (record["agent"], record["competition"], record["seed"], record["attempt"]) == ("test", "demo", 0, 1)
    assert attempt.processes[1].returncode == 3


def test_the_controller_s_view_of_a_record(attempt: Attempt) -> None:
    attempt.changes["consumed_seconds"] = 100.0
    attempt.run("submit('id\\n')")
    seen = read_record(attempt.in_store("run.json") or b"")
    assert (seen.exit_code, seen.has_submission, seen.out_of_memory, seen.model_budget_spent) == (0, True, False, False)
    assert 100 < seen.consumed_seconds < 160
    assert read_clock(attempt.in_store("clock.json") or b"") == seen.consumed_seconds


def test_an_agent_without_a_submission_is_recorded_as_such(attempt: Attempt) -> None:
    record = attempt.run("print('nothing')")
    assert record["has_submission"] is False
    assert attempt.in_store("submission.csv") is None


def test_the_clock_starts_with_the_agent_and_not_with_the_courier(attempt: Attempt) -> None:
    courier = attempt.start_courier()
    attempt.wait_until("the courier", lambda: attempt.get("/health") == {"status": "running"})
    assert attempt.consumed_seconds is None
    assert not (attempt.control / "go").exists()
    record = attempt.finish(courier, attempt.start_launcher("pass"))
    assert record["clock"]["consumed_seconds"] < 30


def test_an_agent_is_stopped_when_its_budget_ends(attempt: Attempt) -> None:
    attempt.budget_seconds = 1.0
    record = attempt.run(f"submit('id')\n{FOREVER}")
    assert record["deadline_reached"] is True
    assert record["interrupted"] is False
    assert record["clock"]["consumed_seconds"] == 1.0
    assert attempt.in_store("submission.csv") == b"id"
    assert agents_of(attempt.control) == []


def test_only_what_was_there_when_the_budget_ended_counts(attempt: Attempt) -> None:
    attempt.budget_seconds = 1.0
    record = attempt.run(
        """
submit("in time")
def late(*_):
    submit("too late")
    mark("replaced")
    sys.exit(0)
signal.signal(signal.SIGTERM, late)
while True:
    time.sleep(0.1)
"""
    )
    assert (attempt.code / "replaced").exists()
    assert attempt.in_store("submission.csv") == b"in time"
    assert record["submission"]["sha256"] == hashlib.sha256(b"in time").hexdigest()


def test_a_submission_that_first_appears_after_the_budget_ended_does_not_count(attempt: Attempt) -> None:
    attempt.budget_seconds = 1.0
    record = attempt.run(
        """
signal.signal(signal.SIGTERM, lambda *_: submit("too late"))
while True:
    time.sleep(0.1)
"""
    )
    assert (attempt.submission / "submission.csv").exists()
    assert record["has_submission"] is False
    assert attempt.in_store("submission.csv") is None


def test_an_agent_that_ignores_everything_is_collected_all_the_same(attempt: Attempt) -> None:
    attempt.budget_seconds = 1.0
    record = attempt.run(f"submit('id')\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{FOREVER}")
    assert record["exit_code"] == 137
    assert record["has_submission"] is True


def test_a_courier_that_is_told_to_end_stops_the_agent_and_collects(attempt: Attempt) -> None:
    courier, launcher = attempt.start(f"submit('so far')\n{FOREVER}")
    attempt.wait_for_file(attempt.code / "running")
    courier.send_signal(signal.SIGTERM)
    record = attempt.finish(courier, launcher)
    assert (record["interrupted"], record["deadline_reached"]) == (True, False)
    assert attempt.in_store("submission.csv") == b"so far"
    assert read_record(attempt.in_store("run.json") or b"").interrupted


def test_a_courier_that_is_told_to_end_before_the_agent_began_leaves_nothing(attempt: Attempt) -> None:
    courier = attempt.start_courier()
    attempt.wait_until("the courier", lambda: attempt.get("/health"))
    courier.send_signal(signal.SIGTERM)
    assert courier.wait(30) == 0
    assert attempt.start_launcher(FOREVER).wait(30) == 143
    assert attempt.in_store("run.json") is None
    assert attempt.in_store("clock.json") is None


def test_a_term_to_the_launcher_alone_does_not_pass_for_an_interruption(attempt: Attempt) -> None:
    """The agent could send it itself, to be tried again with a fresh budget."""
    record = attempt.run("submit('id')\nos.kill(os.getppid(), signal.SIGTERM)\ntime.sleep(600)")
    assert record["interrupted"] is False
    assert record["launcher_terminated"] == "TERM"
    assert record["exit_code"] == 143


@pytest.mark.parametrize(
    "forgery",
    [
        pytest.param("(control / 'ended').write_text('lost=1')", id="a launcher that came back"),
        pytest.param("deafen()\n(control / 'stop').write_text('08')", id="a number that ends the launcher"),
        pytest.param("block('ended')\n(control / 'collected').touch()", id="a last word before the launcher's"),
        pytest.param("block('ended')\n(control / 'collected').symlink_to('/bin/sh')", id="and one that is a link"),
    ],
)
def test_no_word_to_the_launcher_passes_for_an_interruption(pod: PodAttempt, forgery: str) -> None:
    """Also where it makes the launcher go without a word: the kubelet ends the courier then."""
    record = pod.run(
        f"""
control = pathlib.Path({str(pod.control)!r})
def block(word):
    for number in range(50):
        (control / f".junk.{{os.getppid()}}.{{number}}" / word / "full").mkdir(parents=True)
    (control / word).mkdir()
def deafen():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
submit("id")
{forgery}
{FOREVER}
"""
    )
    assert record["interrupted"] is False
    assert pod.in_store("submission.csv") == b"id"
    assert agents_of(pod.control) == []


def test_a_launcher_that_was_killed_is_an_interruption(attempt: Attempt) -> None:
    courier, launcher = attempt.start(f"submit('so far')\n{FOREVER}")
    attempt.wait_for_file(attempt.code / "running")
    launcher.kill()
    courier.send_signal(signal.SIGTERM)
    record = attempt.finish(courier, launcher)
    assert (record["interrupted"], record["launcher_lost"], record["exit_code"]) == (True, True, None)
    assert attempt.in_store("submission.csv") == b"so far"


def test_a_launcher_that_was_killed_and_came_back_ends_the_attempt(attempt: Attempt) -> None:
    courier, launcher = attempt.start(FOREVER)
    attempt.wait_for_file(attempt.code / "running")
    launcher.kill()
    launcher.wait()
    record = attempt.finish(courier, attempt.start_launcher(FOREVER))
    assert (record["interrupted"], record["launcher_lost"], record["exit_code"]) == (False, True, None)
    assert agents_of(attempt.control) == []


def test_an_agent_that_forges_its_own_end_ends_its_run(attempt: Attempt) -> None:
    forged = attempt.control / "ended"
    record = attempt.run(
        f"submit('id')\npathlib.Path({str(forged)!r}).write_text('exit_code=0\\noom_kills_after=junk')\n{FOREVER}"
    )
    assert record["exit_code"] == 0
    assert record["out_of_memory"] is False
    assert agents_of(attempt.control) == []


@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param("os.mkfifo", id="a pipe"),
        pytest.param("lambda path: os.symlink('../decoy', path)", id="a link"),
        pytest.param("lambda path: os.symlink('../nothing', path)", id="a link to nothing"),
        pytest.param("os.mkdir", id="a folder"),
        pytest.param("lambda path: pathlib.Path(path).write_bytes(os.urandom(100_000))", id="noise"),
    ],
)
def test_garbage_in_the_control_folder_does_not_stop_the_clock(attempt: Attempt, garbage: str) -> None:
    attempt.budget_seconds = 1.0
    decoy = attempt.root / "decoy"
    decoy.write_text("untouched")
    record = attempt.run(
        f"""
for name in ("alive", "started", "ready", "stopping", "staged.json", "go", ".ended.new", "clock.json"):
    path = pathlib.Path({str(attempt.control)!r}) / name
    path.unlink(missing_ok=True)
    ({garbage})(path)
submit("id")
{FOREVER}
"""
    )
    assert record["deadline_reached"] is True
    assert record["clock"]["consumed_seconds"] == 1.0
    assert decoy.read_text() == "untouched"
    assert not (attempt.root / "nothing").exists()


def test_while_the_agent_runs_its_clock_tells_what_was_staged_and_since_when_nothing_is_safe(attempt: Attempt) -> None:
    (attempt.control / "staged.json").write_text('{"staged_at": "2026-01-01T00:00:00+00:00", "staged_bytes": 7}')
    courier, launcher = attempt.start(FOREVER)
    attempt.wait_until("a clock in the store", lambda: attempt.in_store("clock.json"))
    told = json.loads(attempt.in_store("clock.json") or b"{}")
    assert told["staged_bytes"] == 7
    assert told["unsaved_since"] == told["started_at"]
    courier.terminate()
    attempt.finish(courier, launcher)


def test_what_the_agent_s_container_has_is_recorded(attempt: Attempt) -> None:
    (attempt.control / "staged.json").write_text('{"staged_at": "2026-01-01T00:00:00+00:00", "staged_bytes": 7}')
    record = attempt.run("pass")
    assert record["hardware"]["cpus"] >= 1
    assert record["hardware"]["memory_bytes"] > 0
    assert record["hardware"]["gpus"] == [] or isinstance(record["hardware"]["gpus"][0], str)
    assert record["clock"]["staged_at"] == "2026-01-01T00:00:00+00:00"
    assert record["clock"]["staged_bytes"] == 7
    assert record["clock"]["started_at"] < record["clock"]["stopped_at"]
    assert record["memory_events"] == {"oom_kills": 0}


def test_a_courier_started_after_all_is_collected_has_nothing_to_do(attempt: Attempt) -> None:
    first = attempt.run("submit('id')")
    assert attempt.start_courier().wait(30) == 0
    assert attempt.record == first


def test_the_courier_is_small() -> None:
    heavy = "import sys, orchestrator.worker.run, orchestrator.worker.courier; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"pandas", "numpy", "sklearn", "minio", "kaggle", "graders", "preparers", "yaml"}


@pytest.mark.parametrize("name", ["stop", "collected", "ended"])
def test_a_folder_in_the_way_of_a_word_is_moved_away(attempt: Attempt, name: str) -> None:
    attempt.budget_seconds = 1.0
    record = attempt.run(f"submit('id')\n(pathlib.Path({str(attempt.control)!r}) / {name!r}).mkdir()\n{FOREVER}")
    assert record["deadline_reached"] is True
    assert agents_of(attempt.control) == []
