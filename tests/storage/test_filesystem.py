"""What is particular to a store in a folder: links, leftovers of killed writers, limits of the disk."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.store import StoreError
from tests.storage.small_disk import needs_mounts, run_on_small_disk


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "store")


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_a_store_that_was_never_written_to_is_empty(store: FileStore) -> None:
    assert list(store.keys("")) == []
    assert store.read("a") is None
    assert not store.root.exists()


@pytest.mark.parametrize("key", ["link", "folder/secret", "folder/inner/secret"])
def test_symbolic_links_are_not_followed(store: FileStore, tmp_path: Path, key: str) -> None:
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "secret").write_text("secret")
    (outside / "inner" / "secret").write_text("secret")
    store.write("plain", b"")
    (store.root / "link").symlink_to(outside / "secret")
    (store.root / "folder").symlink_to(outside)

    with pytest.raises(StoreError, match="symbolic link, which is not followed"):
        store.read(key)
    assert list(store.keys("")) == ["plain"]
    if key != "link":
        with pytest.raises(StoreError, match="symbolic link, which is not followed"):
            store.write(key, b"changed")
    store.write("link", b"a plain file now")
    assert files_below(outside) == ["inner/secret", "secret"]
    assert (outside / "secret").read_text() == "secret"


def test_a_root_that_is_itself_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    FileStore(tmp_path / "root").write("a", b"1")
    assert (tmp_path / "real" / "a").read_bytes() == b"1"


def test_a_pipe_is_not_an_object(store: FileStore) -> None:
    store.write("a", b"")
    os.mkfifo(store.root / "pipe")
    assert store.read("pipe") is None
    assert store.stat("pipe") is None


def test_an_object_in_the_way_of_a_folder_is_named(store: FileStore) -> None:
    store.write("a", b"")
    with pytest.raises(StoreError, match=r"Cannot write 'a/b' in file://.*: a part of the path is a file"):
        store.write("a/b", b"")
    store.write("c/d", b"")
    with pytest.raises(StoreError, match=r"Cannot write 'c' in file://.*: there is a folder of that name"):
        store.write("c", b"")
    assert files_below(store.root) == ["a", "c/d"]


DIE_HALF_WAY = """
import sys
from orchestrator.storage.filesystem import FileStore, Path
def blocks():
    yield b"half of it"
    sys.stdout.write("half\\n"); sys.stdout.flush(); sys.stdin.read()
class Stream:
    blocks = blocks()
    def read(self, size): return next(self.blocks, b"")
FileStore(Path(sys.argv[1])).upload_stream("a/b", Stream())
"""


def test_the_next_write_clears_what_a_killed_writer_left(store: FileStore) -> None:
    store.write("a/b", b"old")
    arguments = [sys.executable, "-c", DIE_HALF_WAY, str(store.root)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        store.write("a/b", b"while it lives")
        assert len(files_below(store.root)) == 2, "the draft of a living writer is left alone"
        writer.send_signal(signal.SIGKILL)
    assert store.read("a/b") == b"while it lives"
    assert list(store.keys("")) == ["a/b"]
    store.write("a/b", b"new")
    assert files_below(store.root) == ["a/b"]


FILL = """
from pathlib import Path
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.store import StoreError
store = FileStore(Path("store"))
store.write("a", b"old")
try:
    store.write("a", bytes(16 << 20))
except StoreError as error:
    print(error)
print(store.read("a"), [path.name for path in Path("store").iterdir()])
"""


@needs_mounts
def test_a_full_disk_is_named_and_the_old_object_stays(tmp_path: Path) -> None:
    said, rest = run_on_small_disk(FILL, tmp_path, megabytes=8).splitlines()
    assert said == (
        f"Cannot write 'a' in {(tmp_path / 'store').as_uri()}: the disk is full; free some space there and start again."
    )
    assert rest == "b'old' ['a']"


def test_a_limit_on_file_sizes_is_named_and_the_old_object_stays(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    done = subprocess.run(
        [sys.executable, "-c", limit + FILL], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said, rest = done.stdout.splitlines()
    assert "a file may not grow that large here" in said
    assert rest == "b'old' ['a']"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(store: FileStore) -> None:
    store.write("a", b"")
    store.root.chmod(0o500)
    with pytest.raises(StoreError, match="permission denied"):
        store.write("b", b"")
    store.root.chmod(0o700)
