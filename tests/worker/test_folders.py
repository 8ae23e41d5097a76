"""Folders that an agent filled, as tar files and back."""

from __future__ import annotations

import io
import os
import socket
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.worker import folders
from orchestrator.worker.folders import Exactly, Packed, pack_folder, unpack_folder
from orchestrator.worker.limits import FOLDER_DEPTH, GIB


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    path.mkdir()
    return path


def names_in(tar: Path) -> list[str]:
    with tarfile.open(tar) as opened:
        return opened.getnames()


def packed(folder: Path, most_bytes: int = GIB, most_files: int = 1000) -> tuple[Packed, list[str]]:
    target = folder.with_name("packed.tar")
    return pack_folder(folder, target, most_bytes, most_files), names_in(target)


def test_files_and_folders_come_back_as_they_were(folder: Path, tmp_path: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "a" / "b" / "run.sh").write_bytes(b"\0binary\xff")
    (folder / "a" / "b" / "run.sh").chmod(0o755)
    (folder / "näme with spaces\n").write_text("x")
    (folder / os.fsdecode(b"not-utf8-\xff")).write_text("y")
    pack_folder(folder, tmp_path / "t.tar", GIB)
    unpack_folder(tmp_path / "t.tar", tmp_path / "back")
    found = {str(path.relative_to(tmp_path / "back")) for path in (tmp_path / "back").rglob("*")}
    assert found == {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert (tmp_path / "back" / "a" / "b" / "run.sh").read_bytes() == b"\0binary\xff"
    assert os.access(tmp_path / "back" / "a" / "b" / "run.sh", os.X_OK)


def test_links_are_not_followed_and_counted(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "file").write_text("secret")
    (folder / "to-file").symlink_to(secret / "file")
    (folder / "to-folder").symlink_to(secret)
    (folder / "to-itself").symlink_to("to-itself")
    (folder / "kept").touch()
    result, names = packed(folder)
    assert names == ["kept"]
    assert result.left_out == {"links": 3}


def test_pipes_and_sockets_are_left_out_and_counted(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(folder)
        one.bind("socket")
        os.chdir(here)
        result, names = packed(folder)
    assert names == []
    assert result.left_out == {"special": 2}


def test_a_folder_that_is_a_link_gives_an_empty_tar(folder: Path, tmp_path: Path) -> None:
    (folder / "file").touch()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert packed(link)[1] == []
    assert packed(tmp_path / "nothing")[1] == []


def test_a_file_that_becomes_a_link_after_it_was_found_is_not_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "swapped").write_text("honest")
    choose = folders._choose

    def swap(*arguments: object) -> set[str]:
        (folder / "swapped").unlink()
        (folder / "swapped").symlink_to(tmp_path / "secret")
        return choose(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(folders, "_choose", swap)
    result, names = packed(folder)
    assert names == []
    assert result.left_out == {"unreadable": 1}


def test_a_folder_that_becomes_a_link_after_it_was_found_is_not_entered(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "file").write_text("secret")
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("honest")
    choose = folders._choose

    def swap(*arguments: object) -> set[str]:
        (folder / "inner").rename(folder / "moved")
        (folder / "inner").symlink_to(tmp_path / "secrets")
        return choose(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(folders, "_choose", swap)
    assert packed(folder)[1] == ["inner"]


def test_the_largest_files_are_the_first_to_be_left_out(folder: Path) -> None:
    (folder / "a-checkpoint").write_bytes(b"x" * 50_000)
    (folder / "main.py").write_bytes(b"x" * 100)
    (folder / "z.py").write_bytes(b"x" * 200)
    result, names = packed(folder, most_bytes=10_000)
    assert names == ["main.py", "z.py"]
    assert result.left_out == {"too_large": 1}


@pytest.mark.parametrize("name", ["plain", "é" * 60, "long-" * 40, "\udcff" * 20])
def test_the_tar_is_no_larger_than_it_may_be(folder: Path, name: str) -> None:
    """Names of other scripts and of many letters take up room too, more than small files do."""
    for number in range(200):
        (folder / f"{name}{number}").touch()
    result, names = packed(folder, most_bytes=150_000)
    assert folder.with_name("packed.tar").stat().st_size <= 150_000 + tarfile.RECORDSIZE
    assert len(names) + result.left_out.get("too_large", 0) == 200
    assert len(names) > 30


def test_a_file_of_holes_does_not_fill_the_store(folder: Path) -> None:
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    assert packed(folder)[0].left_out == {"too_large": 1}


def test_more_files_than_the_limit_are_counted(folder: Path) -> None:
    for number in range(30):
        (folder / f"{number:02}").touch()
    result, names = packed(folder, most_files=20)
    assert len(names) == 20
    assert result.left_out == {"too_many": 10}


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where that is possible: making very many files takes a disk very long."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as name:
        yield Path(name)


@pytest.mark.slow
def test_a_hundred_thousand_files_are_packed(quick_folder: Path) -> None:
    folder = quick_folder / "folder"
    for number in range(100):
        (folder / str(number)).mkdir(parents=True)
        opened = os.open(folder / str(number), os.O_RDONLY)
        for inner in range(1000):
            os.close(os.open(str(inner), os.O_CREAT | os.O_WRONLY, dir_fd=opened))
        os.close(opened)
    result, names = packed(folder, most_files=200_000)
    assert result.files == 100_000
    assert len(names) == 100_100


def test_a_bottomless_folder_has_a_bottom(folder: Path) -> None:
    deep = folder
    for _ in range(FOLDER_DEPTH + 10):
        deep = deep / "d"
        deep.mkdir()
    result, names = packed(folder)
    assert len(names) == FOLDER_DEPTH - 1
    assert result.left_out == {"too_deep": 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_what_can_not_be_read_is_counted(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0)
    (folder / "shut").touch(mode=0)
    assert packed(folder)[0].left_out == {"unreadable": 2}


@given(content=st.binary(max_size=100), size=st.integers(min_value=0, max_value=200))
def test_a_file_that_changes_its_size_does_not_break_the_tar(content: bytes, size: int) -> None:
    data = Exactly(io.BytesIO(content), size).read()
    assert data == content[:size].ljust(size, b"\0")


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", "..", ""])
def test_a_tar_can_not_write_outside_its_folder(tmp_path: Path, name: str) -> None:
    info = tarfile.TarInfo(name)
    info.size = 1
    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        tar.addfile(info, io.BytesIO(b"x"))
    unpack_folder(tmp_path / "t.tar", tmp_path / "target")
    assert {path.name for path in tmp_path.rglob("*")} == {"t.tar", "target"}


def test_a_tar_with_links_writes_through_none_of_them(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        tar.addfile(link)
        inside = tarfile.TarInfo("link/file")
        inside.size = 1
        tar.addfile(inside, io.BytesIO(b"x"))
    unpack_folder(tmp_path / "t.tar", tmp_path / "target")
    assert not (tmp_path / "file").exists()
    assert (tmp_path / "target" / "link" / "file").read_bytes() == b"x"
