"""A task's folder: what the controller reads off it as its process comes and goes."""

import os
from datetime import UTC, datetime

from orchestrator.cluster.local.files import try_lock
from orchestrator.cluster.local.tasks import State, TaskFolder, task_folders
from orchestrator.core.model import Ending, Role, Start, TaskPhase

NOW = datetime(2026, 1, 1, tzinfo=UTC)
START = Start("agent-x", Role.AGENT, "demo-wine", seed=1, attempt=2, budget_seconds=30.0)


def make(tmp_path) -> TaskFolder:
    folder = TaskFolder(tmp_path / START.name)
    folder.create("uid-1", START, NOW)
    return folder


def test_what_was_asked_is_read_back(tmp_path):
    folder = make(tmp_path)
    assert (folder.start, folder.experiment_uid, folder.created_at) == (START, "uid-1", NOW)
    assert [found.name for found in task_folders(tmp_path)] == ["agent-x"]


def test_one_whose_process_never_began_is_not_there_yet(tmp_path):
    assert make(tmp_path).task() is None


def test_one_whose_process_has_just_begun_is_queued(tmp_path):
    folder = make(tmp_path)
    lock = try_lock(folder.lock)
    assert lock is not None
    task = folder.task()
    assert task is not None
    assert task.phase is TaskPhase.QUEUED
    assert (task.competition, task.seed, task.attempt) == ("demo-wine", 1, 2)
    os.close(lock)


def test_one_whose_process_vanished_is_lost_and_says_so(tmp_path):
    folder = make(tmp_path)
    folder.write_state(State(TaskPhase.RUNNING, started_at=NOW))
    assert folder.is_lost
    folder.close_lost()
    assert not folder.is_lost
    task = folder.task()
    assert task is not None
    assert (task.phase, task.ending, task.started_at) == (TaskPhase.FAILED, Ending.DELETED, NOW)


def test_one_that_ended_is_not_lost(tmp_path):
    folder = make(tmp_path)
    folder.write_state(State(TaskPhase.SUCCEEDED, finished_at=NOW, exit_code=0))
    assert not folder.is_lost


def test_news_tells_states_and_deaths_apart(tmp_path):
    folder = make(tmp_path)
    lock = try_lock(folder.lock)
    assert lock is not None
    begun = folder.mark()
    folder.write_state(State(TaskPhase.RUNNING))
    running = folder.mark()
    os.close(lock)
    assert len({begun, running, folder.mark()}) == 3
