"""Staging: what was packed comes out again, byte for byte, or one sentence says why not."""

import hashlib
import io
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest

from orchestrator.storage import pack as packing
from orchestrator.storage import tarball
from orchestrator.storage.dataset import DatasetError, DatasetSource, Manifest, pack, stage, staged_digest
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store, StoreError
from tests.storage.folders import ODD_NAMES, contents, make
from tests.storage.proxy import Cut, Proxy
from tests.storage.small_disk import needs_mounts, run_on_small_disk

HOUR = timedelta(hours=1)
FILES = {"train/a.csv": b"1,2\n", "train/b.csv": b"", "big.bin": os.urandom(3 << 20), "z/deep/er/c.txt": b"c"}


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard for every file."""
    monkeypatch.setattr(packing, "SHARD_FILES", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "in", FILES, ("empty", "nested/empty"))


@pytest.fixture
def local(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "store")


class Counted:
    """A source that counts how often each shard is opened."""

    def __init__(self, source: DatasetSource) -> None:
        self.opened: Counter[str] = Counter()
        self.source = replace(source, open_shard=lambda name: self.open(source, name))

    def open(self, source: DatasetSource, name: str) -> IO[bytes]:
        self.opened[name] += 1
        return source.open_shard(name)


def from_store(store: Store) -> DatasetSource:
    return DatasetSource.from_store(store, "d")


def from_urls(store: Store, manifest: Manifest) -> DatasetSource:
    shards = {shard.name: store.presign(f"d/{shard.name}", "GET", HOUR) for shard in manifest.shards}
    return DatasetSource.from_urls(store.presign("d/manifest.json", "GET", HOUR), shards)


class TestWhatComesOut:
    def test_the_same_files_and_empty_folders(self, store: Store, folder: Path, tmp_path: Path) -> None:
        make(folder, {f"odd/{name}": name.encode("utf-8", "surrogateescape") for name in ODD_NAMES})
        manifest = pack(folder, store, "d")
        assert stage(from_store(store), tmp_path / "out") == manifest
        assert contents(tmp_path / "out") == contents(folder)
        assert staged_digest(tmp_path / "out") == manifest.digest

    def test_from_signed_urls_without_credentials(
        self, store: Store, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_shards: None
    ) -> None:
        source = from_urls(store, pack(folder, store, "d"))
        monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
        stage(source, tmp_path / "out")
        assert contents(tmp_path / "out") == contents(folder)

    @pytest.mark.parametrize("umask", [0o022, 0o077])
    def test_files_are_read_only_and_everybody_may_read_them(
        self, local: FileStore, folder: Path, tmp_path: Path, umask: int
    ) -> None:
        pack(folder, local, "d")
        before = os.umask(umask)
        try:
            stage(from_store(local), tmp_path / "out")
        finally:
            os.umask(before)
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").rglob("*.[cbt]*") if path.is_file()}
        assert modes == {0o444}
        assert stat.S_IMODE((tmp_path / "out" / "z" / "deep").stat().st_mode) == 0o755

    def test_progress_adds_up_to_the_bytes_of_the_files(self, local: FileStore, folder: Path, tmp_path: Path) -> None:
        manifest, told = pack(folder, local, "d"), list[int]()
        stage(from_store(local), tmp_path / "out", progress=told.append)
        assert sum(told) == manifest.total_bytes

    def test_an_empty_dataset(self, local: FileStore, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        manifest = pack(tmp_path / "in", local, "d")
        stage(from_store(local), tmp_path / "out")
        assert staged_digest(tmp_path / "out") == manifest.digest
        assert contents(tmp_path / "out") == {}


STAGE_AND_WAIT = """
import sys
from pathlib import Path
from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.open import open_store
def wait(done):
    print(done, flush=True)
    sys.stdin.readline()
stage(DatasetSource.from_store(open_store(sys.argv[1]), "d"), Path(sys.argv[2]), workers=1, progress=wait)
"""


def kill_while_staging(store: Store, target: Path, finished: int = 0) -> set[str]:
    """Run a staging in a process of its own, kill it once so many shards are finished, and tell which ones are."""
    arguments = [sys.executable, "-c", STAGE_AND_WAIT, store.url, str(target)]
    notes = target / ".mlectl" / "shards"
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stager:
        assert stager.stdout is not None
        assert stager.stdin is not None
        while stager.stdout.readline() and len(list(notes.iterdir())) < finished:
            stager.stdin.write("\n")
            stager.stdin.flush()
        stager.send_signal(signal.SIGKILL)
    assert stager.returncode == -signal.SIGKILL
    return {path.name.replace("shards.", "shards/") for path in notes.iterdir()}


class TestGoingOn:
    @pytest.mark.parametrize("finished", [0, 2])
    def test_a_staging_that_was_killed_fetches_only_what_is_missing(
        self, store: Store, folder: Path, tmp_path: Path, small_shards: None, finished: int
    ) -> None:
        manifest, target = pack(folder, store, "d"), tmp_path / "out"
        whole = kill_while_staging(store, target, finished)
        assert finished <= len(whole) < 4
        assert staged_digest(target) is None
        counted = Counted(from_store(store))
        stage(counted.source, target)
        assert contents(target) == contents(folder)
        assert staged_digest(target) == manifest.digest
        assert counted.opened == Counter(shard.name for shard in manifest.shards if shard.name not in whole)

    def test_a_complete_dataset_is_not_fetched_again(self, local: FileStore, folder: Path, tmp_path: Path) -> None:
        pack(folder, local, "d")
        stage(from_store(local), tmp_path / "out")
        counted = Counted(from_store(local))
        stage(counted.source, tmp_path / "out")
        assert counted.opened == Counter()

    def test_a_file_that_was_touched_in_between_is_fetched_again(
        self, local: FileStore, folder: Path, tmp_path: Path, small_shards: None
    ) -> None:
        pack(folder, local, "d")
        whole = kill_while_staging(local, tmp_path / "out", finished=2)
        assert "shards/00001.tar" in whole
        staged = tmp_path / "out" / "train" / "a.csv"
        staged.chmod(0o644)
        staged.write_bytes(b"9,9\n")
        counted = Counted(from_store(local))
        stage(counted.source, tmp_path / "out")
        assert contents(tmp_path / "out") == contents(folder)
        assert "shards/00001.tar" in counted.opened
        assert "shards/00000.tar" not in counted.opened

    def test_notes_that_were_lost_only_cost_another_fetch(
        self, local: FileStore, folder: Path, tmp_path: Path, small_shards: None
    ) -> None:
        pack(folder, local, "d")
        assert kill_while_staging(local, tmp_path / "out", finished=2)
        shutil.rmtree(tmp_path / "out" / ".mlectl" / "shards")
        stage(from_store(local), tmp_path / "out")
        assert contents(tmp_path / "out") == contents(folder)

    def test_another_dataset_takes_the_place_of_the_first(self, local: FileStore, tmp_path: Path) -> None:
        target = tmp_path / "out"
        pack(make(tmp_path / "one", {"a": "1", "b/c": "2"}), local, "d")
        stage(from_store(local), target)
        manifest = pack(make(tmp_path / "two", {"b": "3"}), local, "d")
        stage(from_store(local), target)
        assert contents(target) == {"b": b"3"}
        assert staged_digest(target) == manifest.digest

    def test_another_dataset_that_breaks_off_is_not_taken_for_the_first(
        self, local: FileStore, folder: Path, tmp_path: Path
    ) -> None:
        pack(make(tmp_path / "one", {"a": "1"}), local, "d")
        stage(from_store(local), tmp_path / "out")
        pack(folder, local, "d")
        kill_while_staging(local, tmp_path / "out")
        assert staged_digest(tmp_path / "out") is None

    def test_a_folder_with_files_of_somebody_else_is_refused(
        self, local: FileStore, folder: Path, tmp_path: Path
    ) -> None:
        pack(folder, local, "d")
        make(tmp_path / "home", {"thesis.tex": "years of work"})
        with pytest.raises(DatasetError, match=r"/home: it has files in it that are not of a dataset; empty it, or"):
            stage(from_store(local), tmp_path / "home")
        assert contents(tmp_path / "home") == {"thesis.tex": b"years of work"}

    def test_a_fresh_volume_is_empty_enough(self, local: FileStore, folder: Path, tmp_path: Path) -> None:
        pack(folder, local, "d")
        (tmp_path / "out" / "lost+found").mkdir(parents=True)
        stage(from_store(local), tmp_path / "out")

    def test_two_stagings_of_one_folder_do_the_work_once(
        self, local: FileStore, folder: Path, tmp_path: Path, small_shards: None
    ) -> None:
        manifest = pack(folder, local, "d")
        counted, barrier = Counted(from_store(local)), threading.Barrier(3)

        def run() -> Manifest:
            barrier.wait()
            return stage(counted.source, tmp_path / "out")

        with ThreadPoolExecutor(3) as pool:
            results = [pool.submit(run) for _ in range(3)]
        assert all(result.result() == manifest for result in results)
        assert set(counted.opened.values()) == {1}

    def test_broken_connections_cost_nothing(
        self,
        s3: Store,
        s3_url: str,
        through: Callable[[str], str],
        proxy: Proxy,
        folder: Path,
        tmp_path: Path,
    ) -> None:
        manifest = pack(folder, s3, "d")
        shaky = open_store(through(s3_url))
        proxy.cuts.extend([Cut(down=100), Cut(down=1 << 20), Cut(down=1 << 20)])
        stage(from_urls(shaky, manifest), tmp_path / "out")
        assert contents(tmp_path / "out") == contents(folder)
        assert proxy.down < (3 << 20) + 64_000


def rewrite(store: FileStore, change: Callable[[bytearray], object]) -> None:
    """Change the bytes of the first shard behind everybody's back."""
    data = bytearray(store.read("d/shards/00000.tar") or b"")
    change(data)
    store.write("d/shards/00000.tar", bytes(data))


def member(name: str, kind: bytes, link: str = "") -> bytes:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, 5 if kind == tarfile.REGTYPE else 0
    return made.tobuf(tarfile.USTAR_FORMAT)


class TestDamage:
    """One file, `a`, of five bytes: header 0-511, content 512-516, padding to 1023, end 1024-2047."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> FileStore:
        store = FileStore(tmp_path / "store")
        pack(make(tmp_path / "in", {"a": "hello"}), store, "d")
        return store

    @pytest.mark.parametrize(
        "change, words",
        [
            (lambda data: data.__setitem__(512, 0), r"'a' does not match its checksum"),
            (lambda data: data.__setitem__(0, ord("b")), r"where 'a' should start it has bytes that are no header"),
            (lambda data: data.__delitem__(slice(515, None)), r"it ends at byte 515 of 2,048"),
            (lambda data: data.clear(), r"it ends at byte 0 of 2,048"),
            (lambda data: data.__setitem__(1500, 1), r"there is more in it than the manifest says"),
            (lambda data: data.extend(bytes(512)), r"there is more in it than the manifest says"),
            (
                lambda data: data.__setitem__(slice(0, 512), member("a", tarfile.SYMTYPE, "/etc/passwd")),
                r"where 'a' should start it has a symbolic link, 'a'",
            ),
            (
                lambda data: data.__setitem__(slice(0, 512), member("../../a", tarfile.REGTYPE)),
                r"where 'a' should start it has a file, '../../a'",
            ),
            (
                lambda data: data.__setitem__(slice(0, 512), member("a", tarfile.CHRTYPE)),
                r"where 'a' should start it has something that is no plain file, 'a'",
            ),
        ],
    )
    def test_a_damaged_shard_is_named_and_nothing_counts_as_staged(
        self, store: FileStore, tmp_path: Path, change: Callable[[bytearray], object], words: str
    ) -> None:
        rewrite(store, change)
        with pytest.raises(
            DatasetError, match=rf"^shards/00000.tar of d in file://.* is damaged: {words}; prepare the dataset again.$"
        ):
            stage(from_store(store), tmp_path / "out")
        assert staged_digest(tmp_path / "out") is None
        assert set(contents(tmp_path / "out")) <= {"a"}
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out", "store"]

    def test_damage_on_the_way_is_mended_by_fetching_again(self, store: FileStore, tmp_path: Path) -> None:
        good = store.read("d/shards/00000.tar") or b""
        sent = [good[:512] + b"jello" + good[517:], good]
        source = replace(from_store(store), open_shard=lambda name: io.BytesIO(sent.pop(0)))
        stage(source, tmp_path / "out")
        assert contents(tmp_path / "out") == {"a": b"hello"}

    def test_a_missing_shard_is_named(self, store: FileStore, tmp_path: Path) -> None:
        store.delete("d/shards/00000.tar")
        with pytest.raises(StoreError, match=r"no object 'd/shards/00000.tar' in file://"):
            stage(from_store(store), tmp_path / "out")

    def test_a_shard_without_a_url_is_named(self, store: FileStore, tmp_path: Path) -> None:
        source = DatasetSource.from_urls(store.presign("d/manifest.json", "GET", HOUR), {})
        with pytest.raises(DatasetError, match=r"There is no URL for shards/00000.tar of file://.*; sign URLs for all"):
            stage(source, tmp_path / "out")

    def test_a_dataset_that_was_never_packed_is_named(self, store: FileStore, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match=r"no object 'none/manifest.json' in file://"):
            stage(DatasetSource.from_store(store, "none"), tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_link_planted_in_the_folder_is_not_followed(self, store: FileStore, tmp_path: Path) -> None:
        pack(make(tmp_path / "in", {"sub/a": "hello"}), store, "d")
        outside = make(tmp_path / "outside", {"b": "untouched"})
        kill_while_staging(store, tmp_path / "out")
        shutil.rmtree(tmp_path / "out" / "sub")
        (tmp_path / "out" / "sub").symlink_to(outside)
        with pytest.raises(StoreError, match=r"Cannot stage .*: it is a symbolic link, which is not followed"):
            stage(from_store(store), tmp_path / "out")
        assert contents(outside) == {"b": b"untouched"}


STAGE_HERE = """
import sys
from pathlib import Path
from orchestrator.storage.dataset import DatasetSource, stage, staged_digest
from orchestrator.storage.open import open_store
from orchestrator.storage.store import StoreError
try:
    stage(DatasetSource.from_store(open_store(sys.argv[1]), "d"), Path("out"))
except StoreError as error:
    print(error)
print(staged_digest(Path("out")))
"""


@needs_mounts
class TestFullDisk:
    def test_a_dataset_that_cannot_fit_is_refused_before_it_starts(self, local: FileStore, tmp_path: Path) -> None:
        pack(make(tmp_path / "in", {"a": bytes(20 << 20)}), local, "d")
        (tmp_path / "disk").mkdir()
        said, staged = run_on_small_disk(STAGE_HERE, tmp_path / "disk", local.url, megabytes=8).splitlines()
        assert said == (
            f"Cannot stage d in {local.url} into out: it needs 0.02 GB more and the disk has 0.01 GB free; "
            "free some space there, or give it a larger disk."
        )
        assert staged == "None"

    def test_a_disk_that_fills_up_on_the_way_is_named(self, local: FileStore, tmp_path: Path) -> None:
        """Small files take a whole block each: half a megabyte of them does not fit on two."""
        pack(make(tmp_path / "in", {f"{number:04d}": bytes(500) for number in range(1000)}), local, "d")
        (tmp_path / "disk").mkdir()
        said, staged = run_on_small_disk(STAGE_HERE, tmp_path / "disk", local.url, megabytes=2).splitlines()
        assert said.startswith("Cannot stage '")
        assert said.endswith(
            "of shards/00000.tar into out: the disk is full; free some space there and start again; "
            "what is staged already is kept."
        )
        assert staged == "None"


def test_a_shard_of_two_files_is_laid_out_as_tar_says(local: FileStore, tmp_path: Path) -> None:
    manifest = pack(make(tmp_path / "in", {"a": "hello", "b": ""}), local, "d")
    data = local.read("d/shards/00000.tar") or b""
    assert data == (tarball.header("a", 5) + b"hello" + bytes(507) + tarball.header("b", 0) + bytes(1024))
    assert manifest.shards[0].sha256 == hashlib.sha256(data).hexdigest()
