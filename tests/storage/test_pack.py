"""Packing a folder: the same files give the same bytes, nothing strange gets in, and the manifest comes last."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.storage import pack as packing
from orchestrator.storage.dataset import DatasetError, Manifest, pack, read_manifest
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store, StoreError
from tests.storage.folders import ODD_NAMES, contents, make

FILES = {"train/a.csv": "1,2\n", "train/b.csv": "", "big.bin": bytes(3 << 20), "z/deep/er/c.txt": "c"}


def objects(store: Store) -> dict[str, bytes | None]:
    return {key: store.read(key) for key in store.keys("")}


def test_a_packed_folder_is_described_by_its_manifest(store: Store, tmp_path: Path) -> None:
    manifest = pack(make(tmp_path / "in", FILES, ("empty/inner",)), store, "datasets/v1/x")
    assert {file.path: file.size for file in manifest.files()} == {path: len(data) for path, data in FILES.items()}
    assert manifest.folders == ("empty/inner",)
    assert read_manifest(store, "datasets/v1/x") == manifest
    assert list(store.keys("")) == ["datasets/v1/x/manifest.json", "datasets/v1/x/shards/00000.tar"]
    (shard,) = manifest.shards
    assert store.stat(f"datasets/v1/x/{shard.name}") == (f"datasets/v1/x/{shard.name}", shard.size)


def test_there_is_no_manifest_where_nothing_was_packed(store: Store) -> None:
    assert read_manifest(store, "datasets/v1/none") is None


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    names = list(ODD_NAMES)
    for number in range(2):
        random.Random(number).shuffle(names)
        folder = make(tmp_path / f"in{number}", {name: name.encode("utf-8", "replace") for name in names}, ("e1", "e2"))
        for path in folder.rglob("*"):
            os.utime(path, (number, number))
            if path.is_file():
                path.chmod(0o600 + number)
        pack(folder, FileStore(tmp_path / f"out{number}"), "d", workers=1 + number)
    assert objects(FileStore(tmp_path / "out0")) == objects(FileStore(tmp_path / "out1"))


@pytest.mark.skipif(not shutil.which("tar"), reason="there is no tar here")
def test_shards_are_what_tar_unpacks(tmp_path: Path) -> None:
    folder = make(tmp_path / "in", {**FILES, **{f"odd/{name}": "odd" for name in ODD_NAMES}})
    store = FileStore(tmp_path / "store")
    manifest = pack(folder, store, "d")
    (tmp_path / "out").mkdir()
    for shard in manifest.shards:
        shard_file = store.root / "d" / shard.name
        summed = subprocess.run(["sha256sum", shard_file], capture_output=True, text=True, check=True).stdout
        assert summed.split()[0] == shard.sha256
        subprocess.run(["tar", "-xf", shard_file, "-C", tmp_path / "out"], check=True, env={"LC_ALL": "C.UTF-8"})
    assert contents(tmp_path / "out") == contents(folder)


def test_shards_stay_below_their_size_and_a_large_file_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SHARD_BYTES", 100_000)
    sizes = {"a": 40_000, "b": 40_000, "c": 40_000, "d": 250_000, "e": 10, "f": 99_000, "g": 10}
    store = FileStore(tmp_path / "store")
    manifest = pack(make(tmp_path / "in", {name: bytes(size) for name, size in sizes.items()}), store, "d")
    assert [[file.path for file in shard.files()] for shard in manifest.shards] == [
        ["a", "b"],
        ["c"],
        ["d"],
        ["e"],
        ["f"],
        ["g"],
    ]
    for shard in manifest.shards:
        info = store.stat(f"d/{shard.name}")
        assert info is not None
        assert info.size == shard.size


def test_many_small_files_are_spread_over_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SHARD_FILES", 10)
    folder = make(tmp_path / "in", {f"{number:03d}": "x" for number in range(25)})
    manifest = pack(folder, FileStore(tmp_path / "store"), "d")
    assert [len(shard.sizes) for shard in manifest.shards] == [10, 10, 5]


def test_the_digest_does_not_depend_on_the_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path / "in", {**FILES, **dict.fromkeys(ODD_NAMES, "odd")})
    one = pack(folder, FileStore(tmp_path / "one"), "d")
    monkeypatch.setattr(packing, "SHARD_FILES", 3)
    many = pack(folder, FileStore(tmp_path / "many"), "d")
    assert len(many.shards) > len(one.shards) == 1
    assert many.digest == one.digest


def test_an_empty_folder_is_a_dataset_too(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    (tmp_path / "in").mkdir()
    assert pack(tmp_path / "in", store, "d") == Manifest(()) == read_manifest(store, "d")


def test_progress_adds_up_to_the_bytes_of_the_files(tmp_path: Path) -> None:
    told: list[int] = []
    manifest = pack(make(tmp_path / "in", FILES), FileStore(tmp_path / "store"), "d", progress=told.append)
    assert sum(told) == manifest.total_bytes


@pytest.mark.parametrize(
    "spoil, words",
    [
        (
            lambda folder: (folder / "link").symlink_to("/etc/passwd"),
            r"/link: it is a symbolic link, and datasets hold",
        ),
        (lambda folder: (folder / "to").symlink_to(folder / "train"), r"/to: it is a symbolic link"),
        (lambda folder: os.mkfifo(folder / "pipe"), r"/pipe: it is neither a file nor a folder"),
        (lambda folder: (folder / ".mlectl").mkdir(), r"\.mlectl: this name is kept for staging; rename it"),
        (lambda folder: shutil.rmtree(folder), r"Cannot pack .*: it.* is not there"),
    ],
)
def test_what_is_no_plain_file_is_refused(tmp_path: Path, spoil, words: str) -> None:
    folder = make(tmp_path / "in", FILES)
    spoil(folder)
    store = FileStore(tmp_path / "store")
    with pytest.raises(DatasetError, match=words):
        pack(folder, store, "d")
    assert read_manifest(store, "d") is None


def after_planning(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Have something happen to the folder between the moment when sizes are noted and the one when files are read."""
    plan = packing.plan_shards

    def plan_and_change(folder: Path, empty_folders: list[str]) -> Iterator[packing.Plan]:
        plans = list(plan(folder, empty_folders))
        change()
        yield from plans

    monkeypatch.setattr(packing, "plan_shards", plan_and_change)


@pytest.mark.parametrize("name", ["large.bin", "small.csv"])
@pytest.mark.parametrize("content", [b"", b"longer" * 1_000_000])
def test_a_file_that_changes_while_it_is_packed_is_named(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    folder = make(tmp_path / "in", {"large.bin": bytes(3 << 20), "small.csv": "12345"})
    pack(folder, store, "d")
    after_planning(monkeypatch, lambda: (folder / name).write_bytes(content))
    with pytest.raises(DatasetError, match=rf"'{name}' changed while it was being packed; .* pack again"):
        pack(folder, store, "d")
    assert read_manifest(store, "d") is None, "the old manifest would describe shards that are gone"


@pytest.mark.parametrize("name", ["large.bin", "small.csv"])
def test_a_file_that_vanishes_while_it_is_packed_is_named(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = make(tmp_path / "in", {"large.bin": bytes(3 << 20), "small.csv": "12345"})
    after_planning(monkeypatch, (folder / name).unlink)
    with pytest.raises(DatasetError, match=rf"Cannot pack '{name}': it.* is not there"):
        pack(folder, store, "d")
    assert list(store.keys("")) == []


def test_a_failing_shard_stops_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SHARD_FILES", 1)
    folder = make(tmp_path / "in", {f"{number:02d}": bytes(10) for number in range(50)})

    class Refusing(FileStore):
        asked = 0

        def draft(self, key):
            self.asked += 1
            raise StoreError(f"no room for {key}")

    store = Refusing(tmp_path / "store")
    with pytest.raises(StoreError, match=r"no room for d/shards/0000\d.tar"):
        pack(folder, store, "d", workers=2)
    assert store.asked < 10


def test_packing_again_removes_shards_that_are_left_over(store: Store, tmp_path: Path, monkeypatch) -> None:
    folder = make(tmp_path / "in", FILES)
    monkeypatch.setattr(packing, "SHARD_FILES", 1)
    assert len(pack(folder, store, "d").shards) == 4
    monkeypatch.setattr(packing, "SHARD_FILES", 100)
    manifest = pack(folder, store, "d")
    assert list(store.keys("")) == ["d/manifest.json", "d/shards/00000.tar"]
    assert read_manifest(store, "d") == manifest


PACK_AND_WAIT = """
import sys
from pathlib import Path
from orchestrator.storage.dataset import pack
from orchestrator.storage.open import open_store
def wait(done):
    print("packing", flush=True)
    sys.stdin.readline()
pack(Path(sys.argv[1]), open_store(sys.argv[2]), "d", progress=wait)
"""


def test_a_pack_that_is_killed_leaves_no_dataset(store: Store, store_url: str, tmp_path: Path) -> None:
    folder = make(tmp_path / "in", FILES)
    arguments = [sys.executable, "-c", PACK_AND_WAIT, str(folder), store_url]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as packer:
        assert packer.stdout is not None
        assert packer.stdin is not None
        assert packer.stdout.readline() == "packing\n"
        packer.send_signal(signal.SIGKILL)
    assert read_manifest(open_store(store_url), "d") is None
    assert pack(folder, store, "d") == read_manifest(store, "d")
