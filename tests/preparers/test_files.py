"""Files on their way from raw to public: linked or copied, out of folders and archives, never outside their folder."""

from __future__ import annotations

import errno
import io
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import py7zr
import pytest

from preparers.toolkit import PreparationError, Source, Target


@pytest.fixture
def raw(tmp_path: Path) -> Source:
    folder = tmp_path / "raw"
    (folder / "train" / "deep").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (folder / "train" / f"{name}.jpg").write_bytes(name.encode() * 10)
    (folder / "train" / "deep" / "d.jpg").write_bytes(b"d")
    (folder / "train" / "empty").mkdir()
    return Source(folder, scratch=tmp_path / "scratch")


@pytest.fixture
def public(tmp_path: Path, raw: Source) -> Target:
    (tmp_path / "public").mkdir()
    return Target(tmp_path / "public", raw)


ROWS = pd.DataFrame({"id": ["a", "c"], "k": [1, 12]})


def test_files_of_rows_are_linked_and_not_copied(raw: Source, public: Target) -> None:
    public.files("test/{k:03d}.jpg", ROWS, source="train/{id}.jpg")

    assert public.contents.names() == ["test/001.jpg", "test/012.jpg"]
    assert (public.folder / "test/012.jpg").samefile(raw.folder / "train/c.jpg")


def test_files_are_copied_where_links_are_impossible(
    raw: Source, public: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    public.files("{id}.jpg", ROWS, source="train/{id}.jpg")

    assert (public.folder / "c.jpg").read_bytes() == b"c" * 10
    assert not (public.folder / "c.jpg").samefile(raw.folder / "train/c.jpg")


def test_a_full_disk_is_not_taken_for_a_file_system_without_links(
    public: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(OSError, match="No space left"):
        public.files("{id}.jpg", ROWS, source="train/{id}.jpg")


def test_a_symbolic_link_in_raw_is_followed(raw: Source, public: Target) -> None:
    (raw.folder / "train" / "link.jpg").symlink_to(raw.folder / "train" / "a.jpg")

    public.copy("x.jpg", "train/link.jpg")

    assert not (public.folder / "x.jpg").is_symlink()
    assert (public.folder / "x.jpg").read_bytes() == b"a" * 10


def test_all_missing_files_are_told_at_once(public: Target) -> None:
    rows = pd.DataFrame({"id": ["a", "x", "y"]})

    with pytest.raises(PreparationError, match=r"2 files are missing in .*raw: 'train/x.jpg', 'train/y.jpg'\."):
        public.files("{id}.jpg", rows, source="train/{id}.jpg")


def test_two_files_of_one_name_are_refused(public: Target) -> None:
    with pytest.raises(PreparationError, match=r"Two files are to become same.jpg; the second is train/b.jpg"):
        public.take([("same.jpg", "train/a.jpg"), ("same.jpg", "train/b.jpg")])


@pytest.mark.parametrize("name", ["../out.jpg", "/out.jpg", "a/../../out.jpg"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, public: Target) -> None:
    with pytest.raises(PreparationError, match="leads out of its folder"):
        public.copy(name, "train/a.jpg")
    with pytest.raises(PreparationError, match="leads out of its folder"):
        public.text(name, "x")


def test_a_table_of_no_rows_still_makes_the_folder(public: Target) -> None:
    public.files("test/{id}.jpg", ROWS.iloc[:0], source="train/{id}.jpg")

    assert (public.folder / "test").is_dir()


def test_a_tree_comes_whole_with_its_empty_folders(raw: Source, public: Target) -> None:
    public.tree("copy", "train")

    assert public.contents.names() == ["copy/a.jpg", "copy/b.jpg", "copy/c.jpg", "copy/deep/d.jpg"]
    assert (public.folder / "copy/empty").is_dir()


def test_files_left_out_of_a_tree_leave_their_folder(public: Target) -> None:
    public.tree("copy", "train", without=("[abd].jpg",))

    assert public.contents.names() == ["copy/c.jpg"]
    assert (public.folder / "copy/deep").is_dir()


def test_listings_are_sorted_and_stay_in_their_folder(raw: Source) -> None:
    assert raw.names("train/*.jpg") == ["train/a.jpg", "train/b.jpg", "train/c.jpg"]
    assert raw.names("train/**/*.jpg") == ["train/a.jpg", "train/b.jpg", "train/c.jpg", "train/deep/d.jpg"]
    assert raw.folders("train/*") == ["train/deep", "train/empty"]


def members() -> dict[str, bytes]:
    return {"in/a.jpg": b"A", "in/b.jpg": b"B", "in/deep/d.jpg": b"D", "table.csv": b"id,x\n1,0.1\n"}


def write_archive(path: Path, kind: str) -> None:
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.mkdir("in")
            for name, data in members().items():
                archive.writestr(name, data)
    elif kind == "7z":
        with py7zr.SevenZipFile(path, "w") as archive:
            for name, data in members().items():
                archive.writestr(data, name)
    else:
        with tarfile.open(path, "w:gz") as archive:
            for name, data in members().items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize("kind", ["zip", "7z", "tar.gz"])
def test_an_archive_is_read_with_the_words_of_a_folder(kind: str, raw: Source, public: Target) -> None:
    write_archive(raw.folder / f"data.{kind}", kind)

    data = raw.unpack(f"data.{kind}")
    public.files("{id}.jpg", pd.DataFrame({"id": ["a", "b"]}), source="in/{id}.jpg", origin=data)

    assert data.names("in/*.jpg") == ["in/a.jpg", "in/b.jpg"]
    assert data.names("in/**/*.jpg") == ["in/a.jpg", "in/b.jpg", "in/deep/d.jpg"]
    assert data.names() == sorted(members())
    assert data.csv("table.csv")["x"].tolist() == [0.1]
    assert (public.folder / "b.jpg").read_bytes() == b"B"
    assert sorted(path.name for path in raw.folder.iterdir()) == [f"data.{kind}", "train"]


def test_missing_members_are_told_with_their_archive(raw: Source, public: Target) -> None:
    write_archive(raw.folder / "data.zip", "zip")
    data = raw.unpack("data.zip")

    with pytest.raises(PreparationError, match=r"1 members are missing in .*data.zip: 'in/x.jpg'"):
        public.copy("x.jpg", "in/x.jpg", origin=data)
    with pytest.raises(PreparationError, match=r"data.zip has no member 'other.csv'; it holds 'in/a.jpg'"):
        data.csv("other.csv")


def test_a_broken_archive_is_told(raw: Source) -> None:
    (raw.folder / "data.7z").write_bytes(b"not an archive")

    with pytest.raises(PreparationError, match="neither a zip nor a 7z nor a tar archive"):
        raw.unpack("data.7z")


def test_a_tar_member_that_leaves_its_folder_is_refused(raw: Source, tmp_path: Path) -> None:
    with tarfile.open(raw.folder / "data.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("../escaped"), io.BytesIO(b""))

    with pytest.raises(tarfile.OutsideDestinationError):
        raw.unpack("data.tar")
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_tar_with_anything_but_files_and_folders_is_refused(kind: bytes, raw: Source) -> None:
    with tarfile.open(raw.folder / "data.tar", "w") as archive:
        strange = tarfile.TarInfo("in")
        strange.type, strange.linkname = kind, "elsewhere"
        archive.addfile(strange)
        archive.addfile(tarfile.TarInfo("in/a.jpg"), io.BytesIO(b""))

    with pytest.raises(PreparationError, match="'in' is neither a file nor a folder"):
        raw.unpack("data.tar")


@pytest.mark.parametrize("name", ["out.zip", "out.7z", "out.tar"])
def test_archives_have_the_same_bytes_every_time(
    name: str, public: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [("x/c.jpg", "train/c.jpg"), ("x/a.jpg", "train/a.jpg")]
    public.archive(f"first/{name}", pairs)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    public.archive(f"second/{name}", reversed(pairs))

    first, second = ((public.folder / part / name).read_bytes() for part in ("first", "second"))
    assert first == second
    unpacked = Source(public.folder, tmp_path / "scratch").unpack(f"first/{name}")
    assert unpacked.names() == ["x/a.jpg", "x/c.jpg"]
    with unpacked.open("x/c.jpg") as file:
        assert file.read() == b"c" * 10


def test_a_plain_tar_can_have_any_name(public: Target) -> None:
    public.archive("images.tar.gz", [("a.jpg", "train/a.jpg")], kind="tar")

    assert (public.folder / "images.tar.gz").read_bytes()[:5] == b"a.jpg"
    with pytest.raises(ValueError, match="no archive is called 'gz'"):
        public.archive("other.tar.gz", [])


def test_zips_of_rows_and_of_a_few_files(public: Target) -> None:
    public.zip("rows.zip", ROWS, member="{k}.jpg", source="train/{id}.jpg")
    public.csv("t.csv", ROWS)
    public.pack("packed.zip", "t.csv", origin=public.contents, compress=False)

    with zipfile.ZipFile(public.folder / "rows.zip") as rows, zipfile.ZipFile(public.folder / "packed.zip") as packed:
        assert rows.namelist() == ["1.jpg", "12.jpg"]
        assert packed.read("t.csv") == b"id,k\na,1\nc,12\n"
        assert packed.infolist()[0].compress_type == zipfile.ZIP_STORED


def test_floats_survive_reading_and_writing_exactly(raw: Source, public: Target) -> None:
    text = "x\n0.1234567890123456789\n8.000000000000002\n1e-300\n"
    (raw.folder / "t.csv").write_text(text)

    public.csv("t.csv", raw.csv("t.csv"))

    assert (public.folder / "t.csv").read_text() == "x\n0.12345678901234568\n8.000000000000002\n1e-300\n"


def test_json_arrays_and_text_are_written_plainly_and_read_back(public: Target) -> None:
    public.json("a.json", {"b": [1, "é"], "a": None})
    public.json("b.json", {"b": 1, "a": 2}, indent=4, sort_keys=True)
    public.jsonl("c.jsonl", [{"a": 1}, {"a": 2}], separators=(",", ":"))
    public.array("d.npy", np.arange(3, dtype=np.float32))
    public.text("e.txt", "é\r\n")
    public.parquet("f.parquet", ROWS)

    back = public.contents
    assert (public.folder / "a.json").read_bytes() == b'{"b": [1, "\\u00e9"], "a": null}'
    assert (public.folder / "b.json").read_bytes() == b'{\n    "a": 2,\n    "b": 1\n}'
    assert (public.folder / "c.jsonl").read_bytes() == b'{"a":1}\n{"a":2}\n'
    assert list(back.jsonl("c.jsonl")) == [{"a": 1}, {"a": 2}]
    assert back.json("a.json") == {"b": [1, "é"], "a": None}
    assert back.array("d.npy").dtype == np.float32
    assert (public.folder / "e.txt").read_bytes() == "é\r\n".encode()
    assert back.text("e.txt") == "é\n"
    pd.testing.assert_frame_equal(back.parquet("f.parquet"), ROWS)


def test_an_array_that_needs_pickle_is_refused(raw: Source) -> None:
    np.save(raw.folder / "bad.npy", np.array([{}], dtype=object), allow_pickle=True)

    with pytest.raises(ValueError, match="Python objects"):
        raw.array("bad.npy")


def test_a_missing_raw_file_is_told_with_its_path(raw: Source) -> None:
    with pytest.raises(PreparationError, match=r"raw/train.csv is missing"):
        raw.csv("train.csv")
