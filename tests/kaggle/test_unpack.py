"""Archives that lie or are broken: nothing lands outside of the raw folder, and no half of one is left."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from orchestrator.worker.kaggle import BadArchive, DiskFull, download
from tests.kaggle.standin import StandIn, make_zip

pytestmark = pytest.mark.usefixtures("account")

ARCHIVE = make_zip({"train.csv": b"id,y\n" + b"1,2\n" * 100})


def test_content_larger_than_the_disk_is_refused_before_it_is_unpacked(kaggle: StandIn, in_catalog, raw: Path):
    in_catalog("winds")
    kaggle.host("winds", claim_size(ARCHIVE, 2**60))

    with pytest.raises(DiskFull, match=r"no room for what is in archive\.zip"):
        download("winds", raw)

    assert not raw.exists()


@pytest.mark.parametrize("name", ["../outside.csv", "/tmp/outside.csv", "a/../../outside.csv", ".."])
def test_a_member_that_leaves_its_folder_is_refused_and_nothing_unpacked(kaggle, in_catalog, raw: Path, name: str):
    in_catalog("winds")
    kaggle.host("winds", make_zip({"train.csv": b"fine", name: b"out"}))

    with pytest.raises(BadArchive, match="has a member that leaves its folder"):
        download("winds", raw)

    assert not raw.exists()
    assert not list(raw.parent.rglob("*.csv"))


def test_a_link_in_the_archive_is_refused(kaggle: StandIn, in_catalog, raw: Path):
    in_catalog("winds")
    kaggle.host("winds", with_link("train.csv", "/etc/passwd"))

    with pytest.raises(BadArchive, match=r"has a link or device, 'train\.csv'"):
        download("winds", raw)

    assert not raw.exists()


@pytest.mark.parametrize(
    "archive, words",
    [
        pytest.param(b"<html>Log in</html>", "can't be unpacked .BadZipFile", id="no archive at all"),
        pytest.param(ARCHIVE.replace(b"1,2\n1,2\n", b"1,2\n1,3\n", 1), "Bad CRC-32", id="a flipped bit"),
        pytest.param(
            make_zip({"a": b"file", "a/b": b"below it"}), "two members in the same place", id="file and folder"
        ),
    ],
)
def test_a_broken_archive_leaves_no_raw_folder(kaggle: StandIn, in_catalog, raw: Path, archive: bytes, words: str):
    in_catalog("winds")
    kaggle.host("winds", archive)

    with pytest.raises(BadArchive, match=words):
        download("winds", raw)

    assert not raw.exists()


def claim_size(archive: bytes, size: int) -> bytes:
    """The archive, its first member claiming another size in the directory (an entry of ZIP64)."""
    buffer = io.BytesIO(archive)
    with zipfile.ZipFile(buffer, "a") as opened:
        opened.infolist()[0].file_size = size
        opened._didModify = True
    return buffer.getvalue()


def with_link(name: str, target: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo(name)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, target)
    return buffer.getvalue()
