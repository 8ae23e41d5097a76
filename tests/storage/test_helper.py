"""Helper processes: quick to start, silent when killed, and never in the way of whoever comes next."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from orchestrator.storage.dataset import DatasetError, DatasetSource, pack, stage
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.helper import Helper
from orchestrator.storage.parallel import Meter, Stopped
from tests.storage.folders import contents, make


def test_a_helper_that_is_killed_is_named(tmp_path: Path) -> None:
    with Helper("unfiling", (str(tmp_path), [("a", 5, bytes(32))], 2048)) as helper:
        helper.process.send_signal(signal.SIGKILL)
        with pytest.raises(DatasetError, match=r"helper process ended without a word \(exit code -9\).*start again"):
            helper.report()


def test_a_helper_ends_with_its_block(tmp_path: Path) -> None:
    with Helper("unfiling", (str(tmp_path), [("a", 5, bytes(32))], 2048)) as helper:
        assert helper.process.poll() is None
    assert helper.process.returncode == -signal.SIGKILL


def test_watching_ends_when_all_is_to_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    reader, writer = os.pipe()
    with (
        (tmp_path / "x").open("wb") as file,
        Helper("unfiling", (str(tmp_path), [("a", 5, bytes(32))], 2048), stdin=reader) as helper,
        pytest.raises(Stopped),
    ):
        helper.watch(file.fileno(), Meter(None, 0, stop))
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("module", ["filing", "unfiling"])
def test_helpers_import_little(module: str) -> None:
    """Each shard starts one, so what they import is paid for again and again."""
    script = (
        "import sys, orchestrator; before = set(sys.modules);"
        f"import orchestrator.storage.{module}; print(*sorted(set(sys.modules) - before))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(root)!r}); {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"typing", "json", "re", "threading", "dataclasses", "pathlib", "tarfile", "contextlib", "subprocess"}
    assert set(done.stdout.split()) & heavy == set()


STAGE_AND_STALL = """
import os, sys, time
from pathlib import Path
from orchestrator.storage import helper
from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.filesystem import FileStore
started = helper.Helper.__init__
def start_and_tell(self, *arguments, **options):
    started(self, *arguments, **options)
    print(self.process.pid, flush=True)
    sys.stdin.read()
helper.Helper.__init__ = start_and_tell
stage(DatasetSource.from_store(FileStore(Path(sys.argv[1])), "d"), Path(sys.argv[2]))
"""


def test_a_staging_waits_for_the_orphans_of_a_killed_one(tmp_path: Path) -> None:
    """Were an orphan to write on, it could replace a file that the next staging has verified."""
    store, target = FileStore(tmp_path / "store"), tmp_path / "out"
    folder = make(tmp_path / "in", {"a": "hello"})
    manifest = pack(folder, store, "d")
    arguments = [sys.executable, "-c", STAGE_AND_STALL, str(store.root), str(target)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stager:
        assert stager.stdout is not None
        orphan = int(stager.stdout.readline())
        os.kill(orphan, signal.SIGSTOP)
        stager.send_signal(signal.SIGKILL)
    next_one = threading.Thread(target=stage, args=(DatasetSource.from_store(store, "d"), target))
    next_one.start()
    next_one.join(0.5)
    was_waiting = next_one.is_alive()
    os.kill(orphan, signal.SIGKILL)
    next_one.join()
    assert was_waiting
    assert contents(target) == contents(folder)
    assert manifest.file_count == 1
