"""What every store does, tried on each of them."""

import io
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from orchestrator.storage import multipart, transfer
from orchestrator.storage.open import open_store
from orchestrator.storage.store import ObjectInfo, Store, StoreError

HOUR = timedelta(hours=1)
LARGE = 2 * multipart.PART + 12_345


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes less than it is asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self.data.read(max(1, size - 7))


@pytest.mark.parametrize("size", [0, 1, 100_000, LARGE])
def test_what_is_written_is_read_back(store: Store, size: int) -> None:
    data = random.randbytes(size)
    store.write("a/b.bin", data)
    assert store.read("a/b.bin") == data
    assert store.stat("a/b.bin") == ObjectInfo("a/b.bin", size)


def test_writing_again_replaces(store: Store) -> None:
    store.write("a", b"first, and longer")
    store.write("a", b"second")
    assert store.read("a") == b"second"


def test_what_is_not_there_is_none(store: Store) -> None:
    store.write("a/b", b"")
    for key in ("nothing", "a", "a/c", "a/b/c"):
        assert store.read(key) is None
        assert store.stat(key) is None


def test_opening_or_fetching_what_is_not_there_says_so(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"'none/x'.*check the key"):
        store.open("none/x")
    with pytest.raises(StoreError, match=r"'none/x'.*check the key"):
        store.download("none/x", tmp_path / "got" / "x")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_write_new_writes_once(store: Store) -> None:
    assert store.write_new("once/a.json", b"first")
    assert not store.write_new("once/a.json", b"second")
    assert not store.write_new("once/a.json", b"first")
    assert store.read("once/a.json") == b"first"


def test_of_many_who_write_new_at_once_one_wins(store: Store) -> None:
    texts = [f"writer {number}".encode() for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda text: store.write_new("race", text), texts))
    assert won.count(True) == 1
    assert store.read("race") == texts[won.index(True)]


def test_a_large_file_goes_up_and_comes_back(store: Store, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "deep" / "target"
    source.write_bytes(random.randbytes(LARGE))
    store.upload("big", source)
    store.download("big", target)
    assert store.stat("big") == ObjectInfo("big", LARGE)
    assert target.read_bytes() == source.read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_a_missing_file_is_not_uploaded(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Cannot read .*/gone: it.* is not there"):
        store.upload("x", tmp_path / "gone")
    assert store.read("x") is None


@pytest.mark.parametrize("size", [0, 5, multipart.PART - 1, multipart.PART, multipart.PART + 1, LARGE])
def test_a_stream_of_unknown_length_is_stored(store: Store, size: int) -> None:
    data = random.randbytes(size)
    assert store.upload_stream("stream", Trickle(data)) == size
    assert store.read("stream") == data


def test_a_stream_that_fails_leaves_the_old_object(store: Store) -> None:
    class Broken(Trickle):
        def read(self, size: int = -1) -> bytes:
            if self.data.tell() > LARGE // 2:
                raise RuntimeError("no more")
            return super().read(1 << 16)

    store.write("stream", b"old")
    with pytest.raises(RuntimeError, match="no more"):
        store.upload_stream("stream", Broken(bytes(LARGE)))
    assert store.read("stream") == b"old"
    assert list(store.keys("")) == ["stream"]


@pytest.mark.parametrize("offset", [0, 1, 70_000, 100_000, 100_001])
def test_an_object_can_be_read_from_anywhere(store: Store, offset: int) -> None:
    data = random.randbytes(100_000)
    store.write("x", data)
    with store.open("x", offset=offset) as stream:
        assert stream.read() == data[offset:]


def test_keys_come_in_the_order_of_their_bytes(store: Store) -> None:
    keys = ["a-b", "a.txt", "a/b", "a/b.c", "a/é ü", "a0", "ab/c", "x+y%20&=?#;'\"*", "Z", ".hidden", "new\nline"]
    for key in keys:
        store.write(key, key.encode())
    assert list(store.keys("")) == sorted(keys, key=str.encode)
    assert all(store.read(key) == key.encode() for key in keys)


@pytest.mark.parametrize(
    "prefix, found",
    [
        ("runs/", ["runs/1/a", "runs/1/b", "runs/10/a"]),
        ("runs/1", ["runs/1/a", "runs/1/b", "runs/10/a"]),
        ("runs/1/", ["runs/1/a", "runs/1/b"]),
        ("runs/1/b", ["runs/1/b"]),
        ("run", ["runs/1/a", "runs/1/b", "runs/10/a", "runs.txt"]),
        ("none/", []),
        ("runs/1/a/", []),
    ],
)
def test_keys_start_with_the_prefix(store: Store, prefix: str, found: list[str]) -> None:
    for key in ("runs/1/a", "runs/1/b", "runs/10/a", "runs.txt", "other"):
        store.write(key, b"")
    assert list(store.keys(prefix)) == sorted(found)


@pytest.mark.parametrize("prefix", ["/", "/etc/", "../", "a/../..", "a//"])
def test_prefixes_that_could_leave_the_store_are_refused(store: Store, prefix: str) -> None:
    with pytest.raises(StoreError, match="is refused: "):
        list(store.keys(prefix))


def test_a_store_below_a_prefix_sees_only_its_own(store_url: str) -> None:
    base, _, query = store_url.partition("?")
    outer, inner = open_store(store_url), open_store(f"{base}/in?{query}".rstrip("?"))
    outer.write("in/a", b"inside")
    outer.write("inner", b"outside")
    assert list(inner.keys("")) == ["a"]
    assert inner.read("a") == b"inside"


def test_a_store_opens_again_by_its_own_url(store: Store) -> None:
    store.write("a", b"1")
    assert open_store(store.url).read("a") == b"1"
    assert "secret" not in store.url


def test_delete_removes_and_can_be_repeated(store: Store) -> None:
    store.write("a/b/c", b"")
    store.write("a/d", b"")
    store.delete("a/b/c")
    store.delete("a/b/c")
    store.delete("a/b")
    assert list(store.keys("")) == ["a/d"]


def test_a_deleted_folder_makes_room_for_an_object_of_its_name(store: Store) -> None:
    store.write("a/b/c", b"")
    store.delete("a/b/c")
    store.write("a", b"object")
    assert store.read("a") == b"object"


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "..",
        "../x",
        "a/../../x",
        "a/..",
        "./a",
        "a//b",
        "a/",
        "nul\0",
        "a\\..\\x",
        "\udcff",
        "k" * 1025,
        "a/.0123abcd-0123abcd.part",
    ],
)
def test_keys_that_could_leave_the_store_are_refused(store: Store, key: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    attempts = [
        lambda: store.read(key),
        lambda: store.open(key),
        lambda: store.stat(key),
        lambda: store.write(key, b""),
        lambda: store.write_new(key, b""),
        lambda: store.upload(key, tmp_path / "x"),
        lambda: store.upload_stream(key, io.BytesIO()),
        lambda: store.download(key, tmp_path / "y"),
        lambda: store.delete(key),
        lambda: store.presign(key, "GET", HOUR),
    ]
    for attempt in attempts:
        with pytest.raises(StoreError, match="is refused: "):
            attempt()


def test_a_reader_sees_the_old_object_or_the_new_one(store: Store) -> None:
    texts = [bytes([letter]) * 300_000 for letter in b"xyz"]
    store.write("a", texts[0])
    stop = Event()

    def overwrite() -> None:
        while not stop.is_set():
            store.write("a", random.choice(texts))

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(overwrite) for _ in range(2)]
        try:
            seen = [store.read("a") for _ in range(60)]
        finally:
            stop.set()
    assert all(text in texts for text in seen)
    assert [writer.result() for writer in writers] == [None, None]


WRITE_FOR_EVER = """
import itertools, sys
from orchestrator.storage.open import open_store
store = open_store(sys.argv[1])
for letter in itertools.cycle(b"xy"):
    store.write("victim", bytes([letter]) * 3_000_000)
    print(letter, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_a_whole_object(store: Store, store_url: str) -> None:
    whole = [bytes([letter]) * 3_000_000 for letter in b"xy"]
    for _ in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITE_FOR_EVER, store_url], stdout=subprocess.PIPE, env=os.environ
        )
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline()
            try:
                writer.wait(random.uniform(0, 0.03))
            except subprocess.TimeoutExpired:
                writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        assert store.read("victim") in whole
        assert list(store.keys("")) == ["victim"]


def test_a_signed_url_reads_and_writes_without_credentials(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write("a b/ü.txt", b"hello")
    read, write = store.presign("a b/ü.txt", "GET", HOUR), store.presign("new/file", "PUT", HOUR)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    transfer.get(read, tmp_path / "got")
    transfer.put(write, b"written")
    assert (tmp_path / "got").read_bytes() == b"hello"
    assert store.read("new/file") == b"written"
