"""Small files and locks that other processes see."""

import os
import subprocess
import sys

from orchestrator.cluster.local.files import is_locked, try_lock, write_atomically


def test_a_write_replaces_the_whole_text(tmp_path):
    path = tmp_path / "deep" / "state.json"
    write_atomically(path, "a long first text")
    write_atomically(path, "short")
    assert path.read_text() == "short"
    assert [found.name for found in path.parent.iterdir()] == ["state.json"]


def test_a_lock_is_held_by_one_at_a_time_and_looking_does_not_take_it(tmp_path):
    path = tmp_path / "lock"
    assert not is_locked(path)
    first = try_lock(path)
    assert first is not None
    assert try_lock(path) is None
    assert is_locked(path)
    assert is_locked(path)
    os.close(first)
    assert not is_locked(path)


def test_a_lock_handed_to_a_child_is_free_when_the_child_is_killed(tmp_path):
    path = tmp_path / "lock"
    lock = try_lock(path)
    assert lock is not None
    child = subprocess.Popen([sys.executable, "-c", "input()"], pass_fds=[lock], stdin=subprocess.PIPE)
    os.close(lock)
    assert is_locked(path)
    child.kill()
    child.wait()
    child.stdin.close()
    assert not is_locked(path)
