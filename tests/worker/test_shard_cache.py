"""The cache of shards, with real processes that stage at once, are killed, and find what others left."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.storage import pack as packing
from orchestrator.storage.dataset import DatasetSource, Manifest, pack, stage
from orchestrator.storage.filesystem import FileStore
from orchestrator.worker.orders import StageOrder
from orchestrator.worker.shard_cache import make_room, name_of, through_cache
from tests.worker.orders import write_order
from tests.worker.waiting import wait_for

PLENTY = 1 << 40


class Web:
    """A store over HTTP that counts what is asked of it, and can be told to stall in the middle of a shard."""

    def __init__(self, root: Path) -> None:
        self.asked: Counter[str] = Counter()
        self.stalls_at = ""
        self.stalled = threading.Event()
        self.goes_on = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked[self.path] += 1
                data = (root / self.path.lstrip("/")).read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("ETag", '"1"')
                self.end_headers()
                middle = len(data) // 2
                with suppress(ConnectionError):
                    self.wfile.write(data[:middle])
                    if self.path == web.stalls_at and not web.goes_on.is_set():
                        web.stalled.set()
                        web.goes_on.wait(120)
                    self.wfile.write(data[middle:])

            def log_message(self, *arguments: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def shards_asked(self) -> dict[str, int]:
        return {path: number for path, number in self.asked.items() if path.endswith(".tar")}

    def close(self) -> None:
        self.goes_on.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """A dataset of three shards, of files that can't be compressed or guessed."""
    monkeypatch.setattr(packing, "SHARD_BYTES", 1 << 20)
    folder = tmp_path / "dataset"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.bin").write_bytes(os.urandom(1 << 20))
    found = pack(folder, FileStore(tmp_path / "store"), "set")
    assert len(found.shards) == 3
    return found


@pytest.fixture
def web(tmp_path: Path, manifest: Manifest) -> Iterator[Web]:
    served = Web(tmp_path / "store")
    yield served
    served.close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def begin(web: Web, manifest: Manifest, cache: Path, root: Path) -> subprocess.Popen[bytes]:
    """A staging as a pod does it."""
    order = StageOrder(
        competition="demo-wine",
        version="v1",
        manifest=f"{web.url}/set/manifest.json",
        shards={shard.name: f"{web.url}/set/{shard.name}" for shard in manifest.shards},
        data=root / "data",
        cache=cache,
        cache_bytes=PLENTY,
        control=root / "control",
        instructions=root / "task" / "instructions.txt",
        submission=root / "submission",
        code=root / "code",
        logs=root / "logs",
    )
    file = write_order("stage", order, root)
    command = [sys.executable, "-m", "orchestrator.worker", "stage", "--order", str(file)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def said_at_the_end(staging: subprocess.Popen[bytes]) -> str:
    """What it said; it must have ended well."""
    said = staging.communicate(timeout=120)[1].decode()
    assert staging.returncode == 0, said
    return said


def assert_whole(root: Path, tmp_path: Path) -> None:
    for file in (tmp_path / "dataset").iterdir():
        assert (root / "data" / file.name).read_bytes() == file.read_bytes()


def left_in(cache: Path, manifest: Manifest) -> list[str]:
    return sorted(path.name for path in (cache / name_of(manifest)).iterdir() if path.suffix != ".lock")


OTHERS = ("0.bin", "2.bin")
WHOLE = ["00000.tar", "00001.tar", "00002.tar", "lock", "size", "used"]


def test_two_that_stage_at_once_fetch_each_shard_once(web, manifest, cache, tmp_path):
    web.stalls_at = "/set/shards/00001.tar"
    stagings = [begin(web, manifest, cache, tmp_path / name) for name in ("one", "two")]
    for name in ("one", "two"):  # by then both have asked for the shard that stalls
        wait_for("the other shards", lambda name=name: all((tmp_path / name / "data" / f).exists() for f in OTHERS))
    web.goes_on.set()
    for staging in stagings:
        said_at_the_end(staging)
    assert set(web.shards_asked.values()) == {1}
    assert len(web.shards_asked) == 3
    for name in ("one", "two"):
        assert_whole(tmp_path / name, tmp_path)
    assert left_in(cache, manifest) == WHOLE


def test_one_that_is_killed_in_the_middle_leaves_nothing_wrong_and_nobody_waiting(web, manifest, cache, tmp_path):
    web.stalls_at = "/set/shards/00001.tar"
    killed = begin(web, manifest, cache, tmp_path / "killed")
    assert web.stalled.wait(60)
    part = cache / name_of(manifest) / "00001.part"
    wait_for("a half-fetched shard", part.exists)
    waiting = begin(web, manifest, cache, tmp_path / "waiting")
    wait_for("the other is at work", (tmp_path / "waiting" / "data").exists)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    web.goes_on.set()
    said_at_the_end(waiting)
    assert_whole(tmp_path / "waiting", tmp_path)
    assert left_in(cache, manifest) == WHOLE
    later = begin(web, manifest, cache, tmp_path / "later")
    assert "3 of 3 shards were in the cache" in said_at_the_end(later)
    assert_whole(tmp_path / "later", tmp_path)


def test_what_went_bad_is_noticed_and_fetched_again(web, manifest, cache, tmp_path):
    said_at_the_end(begin(web, manifest, cache, tmp_path / "first"))
    bad = cache / name_of(manifest) / "00002.tar"
    data = bytearray(bad.read_bytes())
    data[len(data) // 2] ^= 1
    bad.chmod(0o644)
    bad.write_bytes(data)
    said_at_the_end(begin(web, manifest, cache, tmp_path / "second"))
    assert_whole(tmp_path / "second", tmp_path)
    assert web.shards_asked == {
        "/set/shards/00000.tar": 1,
        "/set/shards/00001.tar": 1,
        "/set/shards/00002.tar": 2,
    }
    assert "3 of 3 shards were in the cache" in said_at_the_end(begin(web, manifest, cache, tmp_path / "third"))
    assert web.shards_asked["/set/shards/00002.tar"] == 2


def source_of(tmp_path: Path) -> DatasetSource:
    return DatasetSource.from_store(FileStore(tmp_path / "store"), "set")


def stage_here(tmp_path: Path, cache: Path, limit: int, name: str) -> None:
    with through_cache(source_of(tmp_path), cache, limit) as source:
        stage(source, tmp_path / name / "data")
    assert_whole(tmp_path / name, tmp_path)


def test_a_set_that_is_too_large_goes_past_the_cache(manifest, cache, tmp_path):
    needed = sum(shard.size for shard in manifest.shards)
    stage_here(tmp_path, cache, needed - 1, "past")
    assert [path.name for path in cache.iterdir()] == ["lock"]
    stage_here(tmp_path, cache, needed, "through")
    assert left_in(cache, manifest) == WHOLE


@pytest.mark.parametrize("what", ["a file", "nothing"])
def test_without_a_cache_the_store_is_asked(manifest, tmp_path, what):
    if what == "a file":
        (tmp_path / "place").touch()
    stage_here(tmp_path, tmp_path / "place", PLENTY, "past")


def test_a_cache_that_is_full_before_its_limit_is_gone_past(manifest, cache, tmp_path, monkeypatch):
    def no_room(self, *arguments):
        raise OSError(28, "No space left on device")

    with through_cache(source_of(tmp_path), cache, PLENTY) as source:
        monkeypatch.setattr(Path, "rename", no_room)
        stage(source, tmp_path / "past" / "data")
        monkeypatch.undo()
    assert_whole(tmp_path / "past", tmp_path)
    assert left_in(cache, manifest) == ["lock", "size", "used"]


def test_a_set_in_use_is_not_evicted(manifest, cache, tmp_path):
    with through_cache(source_of(tmp_path), cache, PLENTY) as source:
        stage(source, tmp_path / "one" / "data")
        assert not make_room(cache, 0)
        assert left_in(cache, manifest) == WHOLE
    assert make_room(cache, 0)
    assert [path.name for path in cache.iterdir()] == ["lock"]


SETS = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1000), st.booleans()), max_size=8)


@settings(deadline=None, max_examples=60)
@given(SETS, st.integers(0, 500))
def test_the_least_recently_used_go_first_and_no_more_than_must(tmp_path_factory, sets, most):
    cache = tmp_path_factory.mktemp("cache")
    (cache / ".leaving-half").mkdir()
    held, sizes, used, busy = [], {}, {}, set()
    for number, (size, at, is_busy) in enumerate(sets):
        place = cache / f"{number:064x}"
        place.mkdir()
        (place / "size").write_text(str(size))
        (place / "used").touch()
        os.utime(place / "used", (at, at))
        sizes[place.name], used[place.name] = size, at
        if is_busy:
            busy.add(place.name)
            held.append(os.open(place / "lock", os.O_RDWR | os.O_CREAT))
            fcntl.flock(held[-1], fcntl.LOCK_SH)
    has_room = make_room(cache, most)
    left = {path.name for path in cache.iterdir()}
    for file in held:
        os.close(file)

    evicted = sizes.keys() - left
    assert left <= sizes.keys(), "what an earlier eviction left half done is gone"
    assert not evicted & busy
    taken = sum(sizes[name] for name in left)
    assert has_room == (taken <= most)
    assert has_room or left <= busy, "everything that could go went"
    for name in evicted:
        assert all(used[name] <= used[other] for other in left - busy), "it was used least recently"
    if evicted:
        last = max(evicted, key=lambda name: (used[name], name))
        assert taken + sizes[last] > most, "the last one had to go too"
