"""The bytes of a shard: fixed, and readable by any tar."""

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.storage import tarball
from tests.storage.folders import ODD_NAMES

PARTS = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=120).filter(
    lambda part: part not in (".", "..")
)


def shard_of(*members: tuple[str, bytes]) -> bytes:
    packed = (
        tarball.header(path, len(content)) + content + bytes(tarball.padding(len(content))) for path, content in members
    )
    return b"".join(packed) + tarball.END


def test_a_plain_header_has_exactly_these_bytes() -> None:
    before = b"train/a.csv" + bytes(89) + b"0000644\0" + b"0000000\0" * 2 + b"00000002322\0" + b"00000000000\0"
    after = b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(64) + b"0000000\0" * 2 + bytes(167)
    checksum = b"%06o\0 " % sum(before + b" " * 8 + after)
    assert tarball.header("train/a.csv", 1234) == before + checksum + after


@given(st.lists(PARTS, min_size=1, max_size=6).map("/".join), st.binary(max_size=2000))
def test_python_reads_what_was_written(path: str, content: bytes) -> None:
    with tarfile.open(fileobj=io.BytesIO(shard_of((path, content), ("zzz", b"next")))) as archive:
        first, second = archive.getmembers()
        assert (first.name, first.size, first.mode, first.uid, first.mtime) == (path, len(content), 0o644, 0, 0)
        assert archive.extractfile(first).read() == content
        assert second.name == "zzz"
    assert tarball.member_size(path, len(content)) == len(shard_of((path, content))) - len(tarball.END)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_python_reads_odd_names(name: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(shard_of((name, b"content")))) as archive:
        (member,) = archive.getmembers()
        assert member.name == name


@pytest.mark.skipif(not shutil.which("tar"), reason="there is no tar here")
def test_tar_unpacks_odd_names(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    archive = shard_of(*((name, name.encode("utf-8", "surrogateescape")) for name in ODD_NAMES))
    subprocess.run(["tar", "-xf", "-", "-C", tmp_path / "out"], input=archive, check=True, env={"LC_ALL": "C.UTF-8"})
    for name in ODD_NAMES:
        assert (tmp_path / "out" / name).read_bytes() == os.fsencode(name)


@pytest.mark.parametrize("size", [8**11 - 1, 8**11, 10**13])
def test_sizes_beyond_what_a_plain_header_holds_are_kept(size: int) -> None:
    header = tarball.header("huge.bin", size)
    with tarfile.open(fileobj=io.BytesIO(header + bytes(1024)), mode="r|") as archive:
        member = archive.next()
    assert member is not None
    assert (member.name, member.size) == ("huge.bin", size)


@pytest.mark.parametrize(
    "kind, name, words",
    [
        (tarfile.SYMTYPE, "evil", "a symbolic link, 'evil'"),
        (tarfile.LNKTYPE, "evil", "a hard link, 'evil'"),
        (tarfile.DIRTYPE, "evil", "a folder, 'evil'"),
        (tarfile.CHRTYPE, "evil", "something that is no plain file, 'evil'"),
        (tarfile.REGTYPE, "../evil", "a file, '../evil'"),
    ],
)
def test_a_stranger_is_described(kind: bytes, name: str, words: str) -> None:
    member = tarfile.TarInfo(name)
    member.type = kind
    assert tarball.describe(member.tobuf()) == words


def test_rubbish_is_described() -> None:
    assert tarball.describe(b"x" * 512) == "bytes that are no header"
    assert tarball.describe(bytes(512)) == "bytes that are no header"
