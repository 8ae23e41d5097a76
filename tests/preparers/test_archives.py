"""Archives with nothing in them, and zips with entries for their folders."""

from __future__ import annotations

import zipfile
from pathlib import Path

import py7zr

from preparers.toolkit.archives import write_7z, write_zip
from preparers.toolkit.source import Source


def test_a_7z_archive_may_be_empty(tmp_path: Path) -> None:
    write_7z(tmp_path / "a.7z", [], Source(tmp_path))

    with py7zr.SevenZipFile(tmp_path / "a.7z") as archive:
        assert archive.getnames() == []


def test_a_zip_has_an_entry_for_a_folder_if_one_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "clip").write_bytes(b"sound")

    write_zip(tmp_path / "a.zip", [("train/", ""), ("train/1", "clip")], Source(tmp_path))

    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert [(member.filename, member.is_dir()) for member in archive.infolist()] == [
            ("train/", True),
            ("train/1", False),
        ]
        assert archive.read("train/1") == b"sound"
