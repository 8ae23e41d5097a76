"""The log of an agent that is still at work, in a folder that is the agent's."""

import pytest

from orchestrator.cli.agent_log import AgentLog
from orchestrator.cli.commands.logs import last_lines
from orchestrator.cluster.local.files import try_lock
from orchestrator.core.model import AttemptKey
from tests.cli.conftest import experiment

KEY = AttemptKey("demo-wine", 0, 1)
STATUS = {"results": [{"competition": "demo-wine", "seed": 0, "state": "Running", "attempt": 1}]}


@pytest.fixture
def log(home, keep):
    """An attempt that has begun here, with an empty log."""
    run = keep(experiment("live", competitions={"split": "demo"}, status=STATUS))
    log = AgentLog(home, run, KEY)
    (log.task.home / "logs").mkdir(parents=True)
    (log.task.home / "logs" / "agent.log").write_text("first\n")
    return log


def test_a_running_agents_log_is_read_from_its_folder(mlectl, log):
    assert mlectl("logs", "live", "demo-wine", "0").out == "first\n"


@pytest.mark.parametrize("planted", ["agent.log", "."])
def test_a_link_in_the_logs_place_is_not_followed(log, tmp_path, planted):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "agent.log").write_text("secret")
    logs = log.task.home / "logs"
    if planted == ".":
        (logs / "agent.log").unlink()
        logs.rmdir()
        logs.symlink_to(secret)
    else:
        (logs / "agent.log").unlink()
        (logs / "agent.log").symlink_to(secret / "agent.log")
    assert log.read() is None


def test_following_a_log_ends_with_the_agent(mlectl, log, monkeypatch):
    lock = try_lock(log.task.lock)
    assert lock is not None
    path = log.task.home / "logs" / "agent.log"
    steps = iter([lambda: path.write_text("first\nsec"), lambda: path.write_text("first\nsecond ±"), release(lock)])
    monkeypatch.setattr("orchestrator.cli.agent_log.time.sleep", lambda _: next(steps)())
    assert mlectl("logs", "live", "demo-wine", "0", "--follow").out == "first\nsecond ±"


def release(lock):
    import os

    return lambda: os.close(lock)


def test_an_attempt_that_is_not_there_is_told_with_those_that_are(mlectl, log, keep):
    answer = mlectl("logs", "live", "demo-wine", "0", "--attempt", "9")
    assert (answer.code, answer.err) == (2, "mlectl: demo-wine, seed 0 has attempt 1 alone, and no 9.\n")
    third = {"results": [{**STATUS["results"][0], "attempt": 3}]}
    keep(experiment("later", competitions={"split": "demo"}, status=third))
    assert "has attempts 1 to 3, and no 9." in mlectl("logs", "later", "demo-wine", "0", "--attempt", "9").err
    silent = mlectl("logs", "later", "demo-wine", "0", "--attempt", "2")
    assert (silent.code, "Attempt 2 of demo-wine, seed 0: the agent has not written a log." in silent.err) == (3, True)


def test_what_staging_said_can_be_read(mlectl, log):
    log.task.log.write_text("stage: no space left\n")
    assert mlectl("logs", "live", "demo-wine", "0", "--pod").out == "stage: no space left\n"


def test_the_last_lines_of_a_text():
    assert last_lines("a\nb\nc\n", 2) == "b\nc\n"
    assert last_lines("a\nb\nc\n", None) == "a\nb\nc\n"
