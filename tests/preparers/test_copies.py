"""Files that have the bytes of others."""

from __future__ import annotations

from pathlib import Path

from preparers.toolkit import Source, find_copies, number_contents


def test_copies_are_found_by_content_alone(tmp_path: Path) -> None:
    contents = {"a": b"1234", "same": b"1234", "other": b"5678", "longer": b"12345", "empty": b""}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)

    assert find_copies(Source(tmp_path), ["same", "other", "longer", "empty"], of=["a"]) == {"same"}


def test_files_that_begin_alike_are_read_to_the_end(tmp_path: Path) -> None:
    for name, end in (("a", b"1"), ("same", b"1"), ("other", b"2")):
        (tmp_path / name).write_bytes(bytes(10_000) + end)

    assert find_copies(Source(tmp_path), ["same", "other"], of=["a"]) == {"same"}


def test_a_file_is_no_copy_of_itself(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"1234")

    assert find_copies(Source(tmp_path), ["a", "b"], of=["a"]) == {"b"}


def test_files_with_the_same_bytes_share_a_number_and_others_do_not(tmp_path: Path) -> None:
    for name, content in {"a": b"one", "b": b"two", "c": b"one", "d": b"longer", "e": b"two"}.items():
        (tmp_path / name).write_bytes(content)

    assert number_contents(Source(tmp_path), ["a", "b", "c", "d", "e"]) == [0, 1, 0, 2, 1]
