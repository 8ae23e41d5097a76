"""Reading and writing by signed URL: the same words for a bucket and for a folder, and no credentials."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from orchestrator.storage import transfer
from orchestrator.storage.open import open_store
from orchestrator.storage.retry import Patience
from orchestrator.storage.s3 import S3Store
from orchestrator.storage.store import Store, StoreError
from tests.storage.proxy import SERVER_ERROR, Cut, Proxy

HOUR = timedelta(hours=1)
MB = 1 << 20
QUICK = Patience(tries=4, first_wait_seconds=0.01)


@pytest.mark.parametrize("size", [0, 5, 3 * MB])
def test_a_file_travels_both_ways(store: Store, tmp_path: Path, size: int) -> None:
    source, target = tmp_path / "source", tmp_path / "deep" / "target"
    source.write_bytes(random.randbytes(size))
    transfer.put(store.presign("a/b c", "PUT", HOUR), source)
    transfer.get(store.presign("a/b c", "GET", HOUR), target)
    assert target.read_bytes() == source.read_bytes()
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_a_url_can_be_read_as_a_stream_from_an_offset(store: Store) -> None:
    store.write("x", b"0123456789")
    with transfer.open_url(store.presign("x", "GET", HOUR), offset=4) as stream:
        assert stream.read(3) == b"456"
        assert stream.read() == b"789"


def test_writing_to_a_url_replaces(store: Store) -> None:
    url = store.presign("clock.json", "PUT", HOUR)
    transfer.put(url, b"first, and longer")
    transfer.put(url, b"second")
    assert store.read("clock.json") == b"second"


def test_what_is_not_there_is_named(store: Store, tmp_path: Path) -> None:
    url = store.presign("none", "GET", HOUR)
    with pytest.raises(StoreError, match=r"none.*there is no such object|There is no object 'none'"):
        transfer.get(url, tmp_path / "x")
    with pytest.raises(StoreError, match=r"none.*there is no such object|There is no object 'none'"):
        transfer.open_url(url)
    assert list(tmp_path.glob("x*")) == []


def test_a_missing_file_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"/gone.*is not there"):
        transfer.put(store.presign("x", "PUT", HOUR), tmp_path / "gone")


@pytest.mark.parametrize("url", ["ftp://host/x", "/plain/path", "file://elsewhere/x", "file:relative", "http:///x", ""])
def test_other_urls_are_refused(url: str, tmp_path: Path) -> None:
    for attempt in (
        lambda: transfer.get(url, tmp_path / "x"),
        lambda: transfer.put(url, b""),
        lambda: transfer.open_url(url),
    ):
        with pytest.raises(StoreError, match="a file://, http:// or https:// URL is needed"):
            attempt()


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "x").symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError, match="symbolic link, which is not followed"):
        transfer.get((tmp_path / "x").as_uri(), tmp_path / "copy")
    transfer.put((tmp_path / "x").as_uri(), b"new")
    assert (tmp_path / "secret").read_text() == "secret"


def test_an_expired_url_is_refused_at_once_and_shows_no_signature(
    s3: Store, s3_url: str, through: Callable[[str], str], proxy: Proxy, tmp_path: Path
) -> None:
    s3.write("x", b"1")
    store = cast(S3Store, open_store(through(s3_url)))

    def expired(method: str) -> str:
        an_hour_ago, a_minute = datetime.now(UTC) - HOUR, timedelta(minutes=1)
        sign = store.bucket.client.get_presigned_url
        return sign(method, store.bucket.name, f"{store.prefix}x", a_minute, request_date=an_hour_ago)

    for attempt in (
        lambda: transfer.get(expired("GET"), tmp_path / "x", patience=QUICK),
        lambda: transfer.open_url(expired("GET"), patience=QUICK),
        lambda: transfer.put(expired("PUT"), b"2", patience=QUICK),
    ):
        with pytest.raises(StoreError, match=r"403 \(.*expired\); the URL has expired or was not made for") as caught:
            attempt()
        assert "X-Amz-Signature" not in str(caught.value)
    assert proxy.requests == 3
    assert s3.read("x") == b"1"


def test_a_url_for_reading_does_not_write(s3: Store) -> None:
    with pytest.raises(StoreError, match="the URL has expired or was not made for this"):
        transfer.put(s3.presign("x", "GET", HOUR), b"")


def test_a_broken_connection_is_taken_up_where_it_stopped(
    s3: Store, s3_url: str, through: Callable[[str], str], proxy: Proxy, tmp_path: Path
) -> None:
    data = random.randbytes(4 * MB)
    s3.write("x", data)
    url = open_store(through(s3_url)).presign("x", "GET", HOUR)
    proxy.cuts.extend([Cut(down=1 * MB), Cut(down=1 * MB)])
    transfer.get(url, tmp_path / "x", patience=QUICK)
    assert (tmp_path / "x").read_bytes() == data
    assert len(data) < proxy.down < len(data) + 64_000


def test_a_write_is_tried_again_with_the_whole_body(
    s3: Store, s3_url: str, through: Callable[[str], str], proxy: Proxy, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(random.randbytes(2 * MB))
    url = open_store(through(s3_url)).presign("x", "PUT", HOUR)
    proxy.answers.append(SERVER_ERROR)
    proxy.cuts.extend([Cut(), Cut(up=1 * MB)])
    transfer.put(url, source, patience=QUICK)
    assert s3.read("x") == source.read_bytes()
    assert proxy.connections == 3
