"""What is particular to a bucket: broken connections, refusals of the server, uploads in parts."""

import random
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
import urllib3

from orchestrator.storage import multipart, web
from orchestrator.storage.open import open_store
from orchestrator.storage.retry import Patience
from orchestrator.storage.s3 import S3Store
from orchestrator.storage.store import Store, StoreError
from tests.s3server import READER, S3Server, free_ports
from tests.storage.proxy import SERVER_ERROR, Cut, Proxy

MB = 1 << 20
HEADERS = 64 * 1024
"""More than all headers of a test's requests together."""
QUICK = Patience(tries=4, first_wait_seconds=0.01)
Through = Callable[[str], str]


def opened(url: str, patience: Patience = QUICK) -> S3Store:
    store = cast(S3Store, open_store(url))
    store.bucket.patience = patience
    return store


@pytest.fixture
def shaky(s3_url: str, through: Through) -> S3Store:
    """The store by way of the proxy."""
    return opened(through(s3_url))


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


class TestReading:
    def test_a_stream_outlives_broken_connections_and_fetches_no_byte_twice(
        self, s3: Store, shaky: S3Store, proxy: Proxy
    ) -> None:
        data = random.randbytes(6 * MB)
        s3.write("x", data)
        proxy.cuts.extend([Cut(down=1 * MB), Cut(down=2 * MB), Cut(down=10)])
        with shaky.open("x") as stream:
            assert stream.read() == data
        assert proxy.connections == 4
        assert len(data) < proxy.down < len(data) + HEADERS

    def test_a_download_outlives_broken_connections_and_fetches_no_byte_twice(
        self, s3: Store, shaky: S3Store, proxy: Proxy, tmp_path: Path
    ) -> None:
        data = random.randbytes(6 * MB)
        s3.write("x", data)
        proxy.cuts.extend([Cut(down=1 * MB), Cut(down=2 * MB)])
        shaky.download("x", tmp_path / "x")
        assert (tmp_path / "x").read_bytes() == data
        assert len(data) < proxy.down < len(data) + HEADERS
        assert leftovers(tmp_path) == []

    def test_a_download_given_up_on_is_taken_up_by_the_next_one(
        self, s3: Store, s3_url: str, through: Through, proxy: Proxy, tmp_path: Path
    ) -> None:
        data = random.randbytes(6 * MB)
        s3.write("x", data)
        proxy.cuts.extend([Cut(down=4 * MB), Cut(down=0)])
        impatient = opened(through(s3_url), Patience(tries=1))
        with pytest.raises(StoreError, match=r"Cannot fetch 'x' .*, 1 times in a row; check that the store is up"):
            impatient.download("x", tmp_path / "x")
        assert not (tmp_path / "x").exists()
        before = proxy.down
        opened(through(s3_url)).download("x", tmp_path / "x")
        assert (tmp_path / "x").read_bytes() == data
        assert 2 * MB < proxy.down - before < 2 * MB + HEADERS
        assert leftovers(tmp_path) == []

    def test_a_half_fetched_object_that_was_replaced_is_fetched_anew(
        self, s3: Store, s3_url: str, through: Through, proxy: Proxy, tmp_path: Path
    ) -> None:
        s3.write("x", random.randbytes(3 * MB))
        proxy.cuts.extend([Cut(down=1 * MB), Cut(down=0)])
        with pytest.raises(StoreError):
            opened(through(s3_url), Patience(tries=1)).download("x", tmp_path / "x")
        assert leftovers(tmp_path)
        new = random.randbytes(3 * MB)
        s3.write("x", new)
        opened(through(s3_url)).download("x", tmp_path / "x")
        assert (tmp_path / "x").read_bytes() == new
        assert leftovers(tmp_path) == []

    def test_a_damaged_leftover_is_noticed_and_fetched_anew(
        self, s3: Store, s3_url: str, through: Through, proxy: Proxy, tmp_path: Path
    ) -> None:
        data = random.randbytes(3 * MB)
        s3.write("x", data)
        proxy.cuts.extend([Cut(down=1 * MB), Cut(down=0)])
        with pytest.raises(StoreError):
            opened(through(s3_url), Patience(tries=1)).download("x", tmp_path / "x")
        (part,) = leftovers(tmp_path)
        with part.open("r+b") as file:
            file.write(bytes(100))
        opened(through(s3_url)).download("x", tmp_path / "x")
        assert (tmp_path / "x").read_bytes() == data

    def test_an_object_replaced_while_it_is_read_is_never_mixed(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        s3.write("x", b"a" * 3 * MB)
        proxy.cuts.append(Cut(down=1 * MB))
        with shaky.open("x") as stream:
            stream.read(1000)
            s3.write("x", b"b" * 3 * MB)
            with pytest.raises(StoreError, match="replaced while it was being read; start again"):
                stream.read()

    def test_a_listing_goes_on_after_a_broken_connection(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        for number in range(5):
            s3.write(f"k{number}", b"")
        proxy.cuts.extend([Cut(down=100), Cut(down=200)])
        assert list(shaky.keys("")) == [f"k{number}" for number in range(5)]

    def test_listings_longer_than_a_page_are_whole(self, s3: Store) -> None:
        expected = [f"many/{number:04d}" for number in range(1100)]
        for key in expected:
            s3.write(key, b"")
        assert list(s3.keys("many/")) == expected


class TestWriting:
    def test_a_write_is_tried_again_after_a_broken_connection(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        proxy.cuts.extend([Cut(up=100_000), Cut(down=0)])
        shaky.write("x", bytes(MB))
        assert s3.read("x") == bytes(MB)
        assert proxy.connections == 3

    def test_a_busy_server_is_asked_again(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        proxy.answers.extend([SERVER_ERROR, SERVER_ERROR])
        shaky.write("x", b"1")
        assert s3.read("x") == b"1"

    def test_write_new_knows_its_own_object_when_the_answer_was_lost(
        self, s3: Store, shaky: S3Store, proxy: Proxy
    ) -> None:
        proxy.lost_answers_to_put = 1
        assert shaky.write_new("x", b"mine")
        assert proxy.lost_answers_to_put == 0
        assert s3.read("x") == b"mine"

    def test_a_server_that_knows_no_conditions_is_asked_before(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        proxy.unknown_header = b"If-None-Match"
        assert shaky.write_new("x", b"first")
        assert not shaky.write_new("x", b"second")
        assert s3.read("x") == b"first"

    def test_an_upload_that_broke_off_sends_only_the_parts_that_are_missing(
        self, s3: Store, s3_url: str, through: Through, proxy: Proxy, tmp_path: Path
    ) -> None:
        source = tmp_path / "source"
        source.write_bytes(random.randbytes(5 * multipart.PART + 99))
        proxy.dies_after_up = 3.5 * multipart.PART
        with pytest.raises(StoreError, match=r"Cannot upload .*source as 'x'"):
            opened(through(s3_url), Patience(tries=1)).upload("x", source)
        assert s3.read("x") is None
        bucket, key = opened(s3_url).bucket, f"{opened(s3_url).prefix}x"
        parts = multipart.Upload(bucket, key, "look", bucket.unfinished_upload(key)).parts()
        assert 1 <= len(parts) < 6

        proxy.dies_after_up, before = float("inf"), proxy.up
        opened(through(s3_url)).upload("x", source)
        assert s3.read("x") == source.read_bytes()
        missing = source.stat().st_size - sum(size for _, size in parts.values())
        assert missing < proxy.up - before < missing + HEADERS
        assert bucket.unfinished_upload(key) is None

    def test_parts_of_another_file_are_not_taken_for_ours(
        self, s3: Store, s3_url: str, through: Through, proxy: Proxy, tmp_path: Path
    ) -> None:
        source = tmp_path / "source"
        source.write_bytes(random.randbytes(3 * multipart.PART))
        proxy.dies_after_up = 2.5 * multipart.PART
        with pytest.raises(StoreError):
            opened(through(s3_url), Patience(tries=1)).upload("x", source)
        source.write_bytes(random.randbytes(3 * multipart.PART))
        s3.upload("x", source)
        assert s3.read("x") == source.read_bytes()

    def test_a_stream_that_fails_leaves_no_parts_behind(self, s3: Store) -> None:
        class Broken:
            given = 0

            def read(self, size: int) -> bytes:
                self.given += size
                if self.given > 3 * multipart.PART:
                    raise RuntimeError("no more")
                return bytes(size)

        with pytest.raises(RuntimeError):
            s3.upload_stream("x", Broken())
        bucket = cast(S3Store, s3).bucket
        assert bucket.unfinished_upload(f"{cast(S3Store, s3).prefix}x") is None

    def test_a_stream_upload_outlives_broken_connections(self, s3: Store, shaky: S3Store, proxy: Proxy) -> None:
        class Ones:
            left = 3 * multipart.PART

            def read(self, size: int) -> bytes:
                given = min(size, self.left, 1 << 18)
                self.left -= given
                return b"1" * given

        proxy.cuts.extend([Cut(), Cut(up=2 * MB), Cut(up=3 * MB)])
        assert shaky.upload_stream("x", Ones()) == 3 * multipart.PART
        assert s3.read("x") == b"1" * 3 * multipart.PART
        assert proxy.connections >= 4

    def test_ten_thousand_parts_are_enough_for_a_stream_of_terabytes(self) -> None:
        sizes = [multipart.part_size(number) for number in range(1, multipart.MOST_PARTS + 1)]
        assert sum(sizes) > 5 << 40
        assert min(sizes) >= 5 * MB
        assert sizes[:900] == [multipart.PART] * 900


class TestRefusals:
    def test_credentials_that_may_not_write_are_refused_at_once(
        self, s3_url: str, through: Through, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in READER.environment.items():
            monkeypatch.setenv(name, value)
        words = (
            r"Cannot write 'x' in s3://tests/.* at http.*: the server answered 403 \(AccessDenied.*\); check that these"
        )
        with pytest.raises(StoreError, match=words):
            opened(through(s3_url)).write("x", b"")
        assert proxy.requests == 1

    def test_wrong_credentials_are_named(self, s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        with pytest.raises(StoreError, match="check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
            opened(s3_url).read("x")
        with pytest.raises(StoreError, match="check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
            list(opened(s3_url).keys(""))

    def test_a_bucket_that_is_not_there_is_named(self, s3_url: str, s3_server: S3Server, tmp_path: Path) -> None:
        store = opened(s3_server.url("no-such-bucket"))
        for attempt in (
            lambda: store.read("x"),
            lambda: store.stat("x"),
            lambda: store.open("x"),
            lambda: store.download("x", tmp_path / "x"),
            lambda: list(store.keys("")),
        ):
            with pytest.raises(StoreError, match=r"here is no bucket 'no-such-bucket'.*create it"):
                attempt()

    def test_a_server_that_is_down_is_given_up_on_with_a_sentence(self, s3_url: str) -> None:
        (nobody_listens,) = free_ports(1)
        store = opened(f"s3://tests?endpoint=http://127.0.0.1:{nobody_listens}&region=us-east-1")
        with pytest.raises(
            StoreError,
            match=r"^Cannot read 'x' in s3://tests: connection refused, 4 times in a row; check that [^.]+\.$",
        ):
            store.read("x")
        with pytest.raises(StoreError, match="connection refused, 4 times in a row"):
            list(store.keys(""))

    def test_a_damaged_upload_is_not_taken(self, s3: Store) -> None:
        bucket, key = cast(S3Store, s3).bucket, f"{cast(S3Store, s3).prefix}x"
        bucket.patience = Patience(tries=1)
        with pytest.raises(StoreError, match="BadDigest"):
            bucket.ask("PUT", key, "write x", body=b"damaged", headers=multipart.checksum(b"intended"))
        assert s3.read("x") is None

    def test_an_object_that_looks_like_an_error_is_just_an_object(self, s3: Store) -> None:
        text = b"<Error><Code>SlowDown</Code></Error>"
        s3.write("x", text)
        assert s3.read("x") == text


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make a certificate with")
class TestTls:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        """A certificate for 127.0.0.1 that nobody has signed, and its key, in one file."""
        made = tmp_path / "certificate.pem"
        options = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        command = ["openssl", "req", *options, *name, "-keyout", tmp_path / "key.pem", "-out", made]
        subprocess.run(command, check=True, capture_output=True)
        made.write_bytes(made.read_bytes() + (tmp_path / "key.pem").read_bytes())
        return made

    @pytest.fixture
    def secure_url(self, s3_url: str, s3_server: S3Server, certificate: Path) -> Iterator[str]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        web.pool.cache_clear()
        with Proxy(s3_server.port, context) as proxy:
            yield s3_url.replace(s3_server.endpoint, proxy.endpoint)
        web.pool.cache_clear()

    def test_a_certificate_that_is_trusted_is_enough(
        self, secure_url: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        store = opened(secure_url)
        store.write("x", b"1")
        assert store.read("x") == b"1"
        assert list(store.keys("")) == ["x"]

    def test_a_certificate_that_is_not_trusted_is_refused_at_once(self, secure_url: str) -> None:
        store = opened(secure_url, Patience(tries=99, first_wait_seconds=60))
        for attempt in (lambda: store.read("x"), lambda: store.open("x"), lambda: list(store.keys(""))):
            with pytest.raises(StoreError, match=r"Cannot trust the server .*set SSL_CERT_FILE to the certificates"):
                attempt()

    @pytest.mark.parametrize(
        "content, why", [(None, "No such file or directory"), ("no certificate", "NO_CERTIFICATE_OR_CRL_FOUND")]
    )
    def test_certificates_that_can_not_be_read_are_told_at_once(
        self, secure_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, why: str
    ) -> None:
        trusted = tmp_path / "trusted.pem"
        if content is not None:
            trusted.write_text(content)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        store = opened(secure_url, Patience(tries=99, first_wait_seconds=60))
        for attempt in (lambda: store.read("x"), lambda: store.open("x"), lambda: list(store.keys(""))):
            with pytest.raises(
                StoreError, match=rf"Cannot trust the server .*trusted\.pem: .*{why}.*store\.caConfigMap"
            ):
                attempt()

    def test_certificates_that_come_later_need_no_new_start(
        self, secure_url: str, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trusted = tmp_path / "trusted.pem"
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        store = opened(secure_url)
        for attempt in (lambda: store.read("x"), lambda: list(store.keys(""))):
            with pytest.raises(StoreError, match="Cannot trust the server"):
                attempt()
        trusted.write_bytes(certificate.read_bytes())
        assert store.read("x") is None
        assert list(store.keys("")) == []


class TestSigning:
    def test_a_signed_url_allows_one_method_on_one_key(self, s3: Store) -> None:
        s3.write("x", b"1")
        url = s3.presign("x", "GET", timedelta(minutes=1))
        with urllib3.PoolManager() as pool:
            assert pool.request("GET", url).status == 200
            assert pool.request("PUT", url, body=b"2").status == 403
            assert pool.request("GET", url.replace("/x?", "/y?")).status == 403
            assert pool.request("GET", url.partition("?")[0]).status == 403
        assert s3.read("x") == b"1"

    @pytest.mark.parametrize("expires", [timedelta(0), timedelta(days=8)])
    def test_times_that_s3_does_not_allow_are_refused(self, s3: Store, expires: timedelta) -> None:
        with pytest.raises(StoreError, match="from one second to seven days"):
            s3.presign("x", "GET", expires)
