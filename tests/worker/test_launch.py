"""The launcher under every shell of this machine, with the test as its courier."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.worker.control import Control
from tests.worker.launched import SCRIPT, Launched
from tests.worker.processes import agents_of, is_alive, kill, naming
from tests.worker.waiting import wait_for

IGNORES_TERM = """
import pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path("ignoring").touch()
while True:
    time.sleep(0.1)
"""
TIDY = """
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path("tidied").touch()
    sys.exit(7)
signal.signal(signal.SIGTERM, end)
pathlib.Path("tidy").touch()
while True:
    time.sleep(0.1)
"""
DAEMON = """
import os, pathlib, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pathlib.Path("daemon").write_text(str(os.getpid()))
        while True:
            time.sleep(0.1)
    os._exit(0)
while not pathlib.Path("daemon").exists():
    time.sleep(0.01)
"""


def test_nothing_starts_before_the_courier_gives_the_word(launched_once: Launched) -> None:
    launched_once.start("sh", "-c", "echo started")
    launched_once.wait_for("ready")
    assert not (launched_once.control / "started").exists()
    assert not (launched_once.logs / "agent.log").exists()


def test_the_agent_gets_its_command_word_for_word(launched: Launched) -> None:
    words = ["two words", "$HOME", "*", "it's", "", "-n", "back\\slash"]
    launched.start(sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
    launched.go()
    launched.wait_for("ended")
    assert launched.log == f"{words}\n"


def test_the_exit_code_is_told_and_passed_on_once_all_is_collected(launched: Launched) -> None:
    process = launched.start(sys.executable, "-c", "raise SystemExit(3)")
    launched.go()
    assert launched.wait_for("ended")["exit_code"] == ["3"]
    assert process.poll() is None
    assert launched.finish() == 3


def test_a_command_that_is_not_there_ends_like_in_any_shell(launched_once: Launched) -> None:
    launched_once.start("no-such-program")
    launched_once.go()
    assert launched_once.wait_for("ended")["exit_code"] == ["127"]
    assert "no-such-program" in launched_once.log


def test_output_is_in_the_log_and_on_stdout(launch_with: Callable[..., Launched]) -> None:
    launched = launch_with()
    launched.start("sh", "-c", "echo to stdout; echo to stderr >&2")
    launched.go()
    launched.wait_for("ended")
    assert launched.log == "to stdout\nto stderr\n"
    wait_for("the follower to have shown it", lambda: agents_of(launched.control) == [])
    launched.finish()
    assert launched.output() == launched.log


def test_an_agent_that_resumes_adds_to_its_log(launched_once: Launched) -> None:
    (launched_once.logs / "agent.log").write_text("from before\n")
    launched_once.start(sys.executable, "-c", "print('from now')")
    launched_once.go()
    launched_once.wait_for("ended")
    assert launched_once.log == "from before\nfrom now\n"


def test_a_python_agent_can_be_interrupted(launched: Launched) -> None:
    if launched.shell in ("bare dash", "busybox"):
        pytest.skip(
            "without bash or GNU's env a shell's background processes ignore Ctrl-C, and nobody can change that"
        )
    code = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    print("ignored")
except KeyboardInterrupt:
    print("interrupted")
"""
    launched.run_python(code)
    launched.wait_for("ended")
    assert launched.log == "interrupted\n"


def test_the_agent_is_not_told_where_the_control_folder_is(launched_once: Launched) -> None:
    launched_once.run_python("import os; print(os.environ.get('CONTROL_DIR'))")
    launched_once.wait_for("ended")
    assert launched_once.log == "None\n"


def test_a_stop_lets_the_agent_tidy_up(launched: Launched) -> None:
    launched.run_python(TIDY)
    wait_for("the agent", (launched.root / "tidy").exists)
    Control(launched.control).say_stop(30)
    assert launched.wait_for("ended")["exit_code"] == ["7"]
    assert (launched.root / "tidied").exists()


def test_an_agent_that_ignores_the_stop_is_killed_after_the_grace(launched: Launched) -> None:
    launched.run_python(IGNORES_TERM)
    wait_for("the agent", (launched.root / "ignoring").exists)
    Control(launched.control).say_stop(1)
    assert launched.wait_for("ended")["exit_code"] == ["137"]


def test_a_shorter_stop_cuts_the_grace_short(launched_once: Launched) -> None:
    launched_once.run_python(IGNORES_TERM)
    wait_for("the agent", (launched_once.root / "ignoring").exists)
    Control(launched_once.control).say_stop(3600)
    wait_for("the agent to run on", lambda: not (launched_once.control / "ended").exists())
    Control(launched_once.control).say_stop(0)
    assert launched_once.wait_for("ended")["exit_code"] == ["137"]


def test_a_stop_that_makes_no_sense_uses_the_grace_of_the_go(launched_once: Launched) -> None:
    launched_once.run_python(IGNORES_TERM)
    wait_for("the agent", (launched_once.root / "ignoring").exists)
    (launched_once.control / "stop").write_text("soon; rm -rf /\n")
    assert launched_once.wait_for("ended")["exit_code"] == ["137"]


def test_a_stopped_process_is_ended_too(launched: Launched) -> None:
    launched.run_python(f"import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n{TIDY}")
    launched.wait_for("started")
    Control(launched.control).say_stop(30)
    assert launched.wait_for("ended")["exit_code"][0] in ("7", "143")


def test_what_the_agent_leaves_running_is_ended_with_it(launched: Launched) -> None:
    launched.run_python("import subprocess; print(subprocess.Popen(['sleep', '600']).pid, flush=True)")
    launched.wait_for("ended")
    assert not is_alive(int(launched.log))


def test_a_daemon_is_ended_with_the_agent(launched: Launched) -> None:
    launched.run_python(DAEMON)
    launched.wait_for("ended")
    assert not is_alive(int((launched.root / "daemon").read_text()))


def test_an_agent_that_signals_its_own_group_does_not_hit_the_launcher(launched: Launched) -> None:
    if launched.shell == "bare dash":
        pytest.skip("without bash and setsid the agent shares the launcher's process group")
    launched.run_python("import os, signal; os.kill(0, signal.SIGTERM)")
    said = launched.wait_for("ended")
    assert said["exit_code"] == ["143"]
    assert "terminated" not in said


def test_other_processes_are_left_alone(launched: Launched) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        launched.run_python(IGNORES_TERM)
        wait_for("the agent", (launched.root / "ignoring").exists)
        Control(launched.control).say_stop(0)
        launched.wait_for("ended")
        launched.finish()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_term_to_the_launcher_ends_the_agent_and_waits_for_the_collection(launched: Launched) -> None:
    process = launched.run_python(TIDY)
    wait_for("the agent", (launched.root / "tidy").exists)
    process.send_signal(signal.SIGTERM)
    launched.wait_for("stopping")
    said = launched.wait_for("ended")
    assert (said["exit_code"], said["terminated"]) == (["7"], ["TERM"])
    process.send_signal(signal.SIGTERM)
    assert process.poll() is None
    assert launched.finish() == 7


def test_a_term_before_the_word_ends_the_launcher(launched_once: Launched) -> None:
    process = launched_once.start(sys.executable, "-c", "print('started')")
    launched_once.wait_for("ready")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    assert not (launched_once.logs / "agent.log").exists()


def test_a_stop_instead_of_the_word_ends_the_launcher(launched_once: Launched) -> None:
    process = launched_once.start(sys.executable, "-c", "print('started')")
    launched_once.wait_for("ready")
    Control(launched_once.control).say_stop(0)
    assert process.wait(30) == 143


def test_the_last_word_instead_of_the_first_ends_the_launcher_without_an_agent(launched: Launched) -> None:
    process = launched.start(sys.executable, "-c", "print('started')")
    launched.wait_for("ready")
    Control(launched.control).say_collected()
    assert process.wait(30) == 0
    assert not (launched.logs / "agent.log").exists()


def test_an_agent_that_forges_the_courier_s_last_word_only_ends_itself(launched: Launched) -> None:
    forging = f"pathlib.Path({str(launched.control / 'collected')!r}).touch()\nwhile True:"
    process = launched.run_python(IGNORES_TERM.replace("while True:", forging))
    assert process.wait(30) == 137
    assert agents_of(launched.control) == []


@pytest.mark.parametrize("seconds", ["08", "1" * 30])
def test_a_forged_stop_that_no_shell_can_count_with_does_not_end_the_launcher(launched: Launched, seconds: str) -> None:
    launched.run_python(IGNORES_TERM)
    wait_for("the agent", (launched.root / "ignoring").exists)
    (launched.control / "stop").write_text(seconds)
    assert launched.wait_for("ended")["exit_code"] == ["137"]
    assert launched.finish() == 137


def test_an_agent_is_never_started_twice(launched: Launched) -> None:
    first = launched.run_python("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)")
    launched.wait_for("started")
    wait_for("the agent's output", lambda: launched.log)
    first.kill()
    first.wait()
    launched.start(sys.executable, str(launched.root / "agent.py"))
    assert launched.wait_for("ended") == {"lost": ["1"]}
    assert launched.finish() == 137
    assert len(launched.log.splitlines()) == 1
    assert not is_alive(int(launched.log))


def test_what_shows_the_log_does_not_outlive_a_launcher_that_is_killed(launch_with: Callable[..., Launched]) -> None:
    launched = launch_with()
    process = launched.run_python("import time; time.sleep(600)")
    log = launched.logs / "agent.log"
    wait_for("the agent to be shown", lambda: naming(log))
    process.kill()
    process.wait()
    kill(*agents_of(launched.control))
    wait_for("the last process of this attempt to end", lambda: not naming(launched.root))


def test_instructions_become_an_ordinary_file_of_the_agent(launch_with: Callable[..., Launched]) -> None:
    launched = launch_with()
    (launched.control / "instructions.txt").write_text("the task\n")
    target = launched.root / "instructions.txt"
    launched.start("sed", "-i", "s/task/job/", str(target), INSTRUCTIONS=str(target))
    launched.go()
    assert launched.wait_for("ended")["exit_code"] == ["0"]
    assert target.read_text() == "the job\n"


def test_the_container_is_described_before_the_agent_starts(launched_once: Launched) -> None:
    launched_once.start("true")
    seen = launched_once.wait_for("ready")
    assert seen["cpus_allowed"] == [_status("Cpus_allowed_list")]
    assert seen["memory_total"][0].endswith(" kB")


def test_graphics_cards_are_named_by_their_own_tool(launch_with: Callable[..., Launched]) -> None:
    launched = launch_with()
    tool = launched.root / "nvidia-smi"
    tool.write_text("#!/bin/sh\nprintf 'NVIDIA A10, 23028 MiB, 550.1\\nNVIDIA A10, 23028 MiB, 550.1\\n'\n")
    tool.chmod(0o755)
    launched.start("true", PATH=f"{launched.root}:{os.environ['PATH']}")
    assert launched.wait_for("ready")["gpu"] == ["NVIDIA A10, 23028 MiB, 550.1"] * 2


def test_a_missing_command_is_told() -> None:
    done = subprocess.run(["sh", SCRIPT, "--"], env={"CONTROL_DIR": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no command to start" in done.stderr


def _status(key: str) -> str:
    lines = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return lines[key]


def unshare(*kinds: str) -> list[str]:
    """A way into namespaces of one's own; skips where this machine has none."""
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare here")
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *user, "--mount", *kinds]
    if subprocess.run([*command, "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine does not let us make namespaces")
    return command


@pytest.fixture
def contained(launch_with: Callable[..., Launched]) -> Launched:
    """A launcher that is process 1, as in a container."""
    return launch_with(*unshare("--pid", "--fork", "--kill-child", "--mount-proc"))


def test_as_process_one_it_ends_everything_of_its_container_and_nothing_else(contained: Launched) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        contained.run_python(DAEMON)
        wait_for("the daemon", lambda: agents_of(contained.control))
        contained.wait_for("ended")
        assert agents_of(contained.control) == []
        assert bystander.poll() is None
        assert contained.finish() == 0
    finally:
        bystander.kill()
        bystander.wait()


def test_as_process_one_it_can_not_be_killed_by_the_agent(contained: Launched) -> None:
    code = "import os, signal\nos.kill(1, signal.SIGKILL)\nos.kill(1, signal.SIGSTOP)\nprint('tried')"
    contained.run_python(code)
    assert contained.wait_for("ended")["exit_code"] == ["0"]
    assert contained.log == "tried\n"


def test_as_process_one_it_takes_notice_of_orphans(contained: Launched) -> None:
    code = """
import os, pathlib, time
for _ in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.05)
        os._exit(0)
    os.wait()
zombies = None
for _ in range(500):
    states = [p.read_text().split(") ")[-1][0] for p in pathlib.Path("/proc").glob("[0-9]*/stat")]
    if "Z" not in states and len(states) < 10:
        print("no zombies")
        break
    time.sleep(0.02)
"""
    contained.run_python(code)
    contained.wait_for("ended")
    assert contained.log == "no zombies\n"


@pytest.mark.parametrize(
    "file",
    [
        pytest.param("memory.events", id="control groups, version 2"),
        pytest.param("memory/memory.oom_control", id="control groups, version 1"),
    ],
)
def test_memory_kills_are_counted_also_when_the_agent_carries_on(
    launch_with: Callable[..., Launched], tmp_path: Path, file: str
) -> None:
    groups = tmp_path / "cgroup"
    events = groups / file
    events.parent.mkdir(parents=True)
    events.write_text("oom 2\noom_kill 2\n")
    enter = f'mount --bind "{groups}" /sys/fs/cgroup && exec "$@"'
    launched = launch_with(*unshare(), "sh", "-c", enter, "sh")
    launched.run_python(f"import pathlib; pathlib.Path({str(events)!r}).write_text('oom 3\\noom_kill 3\\n')")
    said = launched.wait_for("ended")
    assert (said["oom_kills_before"], said["oom_kills_after"], said["exit_code"]) == (["2"], ["3"], ["0"])
