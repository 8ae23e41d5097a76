"""The manifest: compact, checked when it is read, and its digest a function of the files alone."""

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.storage.manifest import DatasetError, FileEntry, Manifest, Shard, order, parse_manifest
from tests.storage.folders import ODD_NAMES

FILES = [("a-b", 3), ("a.csv", 0), ("b/c.png", 10**12), ("b/ü 😀", 5), ("z\udcff", 1)]


def checksum(path: str) -> bytes:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()


def manifest_of(*shards: Sequence[tuple[str, int]], folders: tuple[str, ...] = ()) -> Manifest:
    made = [
        Shard.of(f"shards/{number:05d}.tar", 512, "0" * 64, files, b"".join(checksum(path) for path, _ in files))
        for number, files in enumerate(shards)
    ]
    return Manifest(tuple(made), folders)


def written(manifest: Manifest) -> bytes:
    return b"".join(manifest.lines())


def test_a_manifest_is_read_as_it_was_written() -> None:
    manifest = manifest_of(FILES[:2], FILES[2:], folders=("empty", "x/y"))
    read = parse_manifest(io.BytesIO(written(manifest)), "here")
    assert read == manifest
    assert list(read.files()) == [FileEntry(path, size, checksum(path)) for path, size in FILES]
    assert (read.file_count, read.total_bytes, read.folders) == (5, 10**12 + 9, ("empty", "x/y"))


def test_odd_names_survive() -> None:
    names = sorted(ODD_NAMES, key=order)
    manifest = manifest_of([(name, 1) for name in names])
    assert [file.path for file in parse_manifest(io.BytesIO(written(manifest)), "here").files()] == names


def test_a_manifest_is_plain_json_with_every_file_by_shard() -> None:
    manifest = manifest_of(FILES[:2], FILES[2:4], folders=("empty",))
    data = json.loads(written(manifest))
    assert {key: data[key] for key in ("version", "files", "bytes", "folders")} == {
        "version": 1,
        "files": 4,
        "bytes": 10**12 + 8,
        "folders": ["empty"],
    }
    assert [shard["name"] for shard in data["shards"]] == ["shards/00000.tar", "shards/00001.tar"]
    assert data["shards"][0]["files"] == [["a-b", 3, checksum("a-b").hex()], ["a.csv", 0, checksum("a.csv").hex()]]


def test_an_empty_dataset_has_a_manifest_too() -> None:
    assert parse_manifest(io.BytesIO(written(Manifest(()))), "here") == Manifest(())


def test_the_digest_can_be_computed_by_hand() -> None:
    manifest = manifest_of([("b", 7)], folders=("empty",))
    by_hand = f"{checksum('b').hex()} 7 b\0folder empty\0"
    assert manifest.digest == hashlib.sha256(by_hand.encode()).hexdigest()


@given(st.sets(st.integers(1, 4)))
def test_the_digest_does_not_depend_on_where_shards_end(cuts: set[int]) -> None:
    ends = [0, *sorted(cuts), len(FILES)]
    shards = [FILES[start:end] for start, end in pairwise(ends)]
    assert manifest_of(*shards).digest == manifest_of(FILES).digest


@pytest.mark.parametrize(
    "other",
    [
        manifest_of([*FILES[:4], ("z", 1)]),
        manifest_of([("a-b", 4), *FILES[1:]]),
        manifest_of(FILES[:4]),
        manifest_of(FILES, folders=("empty",)),
    ],
)
def test_any_difference_changes_the_digest(other: Manifest) -> None:
    assert other.digest != manifest_of(FILES).digest


def tampered(change: Callable[[dict[str, Any]], None]) -> bytes:
    """A manifest after a change, with the digest put right so that only the change itself can be noticed."""
    data = json.loads(written(manifest_of([("a", 1), ("b/c", 2)], folders=("e",))))
    change(data)
    shards = data.pop("shards")
    head = json.dumps(data).removesuffix("}") + ', "shards": [\n'
    return (head + ",\n".join(map(json.dumps, shards)) + "\n]}\n").encode()


def rename(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["shards"][0]["files"][1].__setitem__(0, path)


@pytest.mark.parametrize(
    "change, words",
    [
        (rename("../x"), r"'../x' is not a path inside a dataset"),
        (rename("/etc/passwd"), r"is not a path inside a dataset"),
        (rename("b/../../x"), r"is not a path inside a dataset"),
        (rename("b//x"), r"is not a path inside a dataset"),
        (rename("b/."), r"is not a path inside a dataset"),
        (rename(""), r"is not a path inside a dataset"),
        (rename("nul\0"), r"is not a path inside a dataset"),
        (rename(".mlectl/complete.json"), r"has a name that is kept for staging"),
        (rename("a"), r"'a' is out of order"),
        (rename("B"), r"'B' is out of order"),
        (rename("b/d"), r"does not match its own digest"),
        (lambda data: data["folders"].append("../up"), r"is not a path inside a dataset"),
        (lambda data: data["shards"][0].update(name="../../x"), r"is not a path inside a dataset"),
        (lambda data: data["shards"][0]["files"][0].__setitem__(1, -1), r"has no proper size and checksum"),
        (lambda data: data["shards"][0]["files"][0].__setitem__(2, "ab"), r"has no proper size and checksum"),
        (lambda data: data["shards"][0]["files"].pop(), r"does not match its own digest"),
        (lambda data: data.update(files=3), r"does not match its own digest"),
        (lambda data: data.pop("digest"), r"is damaged \('digest'\)"),
        (lambda data: data.update(version=2), r"has version 2, and this mlectl reads 1; use the mlectl that packed it"),
    ],
)
def test_a_manifest_that_was_changed_is_refused(change: Callable[[dict[str, Any]], None], words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        parse_manifest(io.BytesIO(tampered(change)), "here")


@pytest.mark.parametrize("kept", [0, 1, 50, -1, -4])
def test_a_manifest_that_is_cut_short_is_refused(kept: int) -> None:
    text = written(manifest_of(FILES[:2], FILES[2:]))
    with pytest.raises(DatasetError, match=r"The manifest here is damaged .*; prepare the dataset again"):
        parse_manifest(io.BytesIO(text[:kept]), "here")


def test_reading_needs_memory_for_a_shard_and_not_for_the_dataset() -> None:
    """A stream that would be too long to hold is parsed line by line."""

    class Counting(io.BytesIO):
        longest = 0

        def readline(self, size: int | None = -1) -> bytes:
            line = super().readline(size)
            self.longest = max(self.longest, len(line))
            return line

        def __next__(self) -> bytes:
            return self.readline() or self.stop()

        def stop(self) -> bytes:
            raise StopIteration

        def read(self, size: int | None = -1) -> bytes:
            raise AssertionError("the whole manifest was read at once")

    shards = [[(f"{number}/{name:04d}", 1) for name in range(100)] for number in range(10, 40)]
    stream = Counting(written(manifest_of(*shards)))
    assert parse_manifest(stream, "here").file_count == 3000
    assert stream.longest < 100 * 100
