"""Files that have the bytes of others."""

from __future__ import annotations

from pathlib import Path

from preparers.toolkit import Source, find_copies


def test_copies_are_found_by_content_alone(tmp_path: Path) -> None:
    contents = {"a": b"1234", "same": b"1234", "other": b"5678", "longer": b"12345", "empty": b""}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)

    assert find_copies(Source(tmp_path), ["same", "other", "longer", "empty"], of=["a"]) == {"same"}


def test_a_file_is_no_copy_of_itself(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"1234")

    assert find_copies(Source(tmp_path), ["a", "b"], of=["a"]) == {"b"}
