"""From a URL to a store: what is accepted, and one sentence for what is not."""

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.open import open_store, store_with, url_of
from orchestrator.storage.s3 import S3Store
from orchestrator.storage.store import StoreError


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")


@pytest.mark.parametrize(
    "url, root",
    [
        ("file:///data/runs", "/data/runs"),
        ("file:///data/my%20runs", "/data/my runs"),
        ("file://localhost/data", "/data"),
    ],
)
def test_a_file_url_is_a_folder(url: str, root: str) -> None:
    store = open_store(url)
    assert isinstance(store, FileStore)
    assert store.root == Path(root)


@pytest.mark.parametrize(
    "url, bucket, prefix, endpoint, region",
    [
        ("s3://runs?endpoint=http://127.0.0.1:8333", "runs", "", "http://127.0.0.1:8333", None),
        ("s3://runs/?endpoint=https://s3.example/&region=eu-1", "runs", "", "https://s3.example", "eu-1"),
        ("s3://runs/a%20b/c/?endpoint=https://s3.example", "runs", "a b/c/", "https://s3.example", None),
        ("s3://runs/x?region=eu-west-1", "runs", "x/", "https://s3.amazonaws.com", "eu-west-1"),
    ],
)
def test_an_s3_url_is_a_bucket(url: str, bucket: str, prefix: str, endpoint: str, region: str | None) -> None:
    store = open_store(url)
    assert isinstance(store, S3Store)
    assert (store.bucket.name, store.prefix, store.bucket.endpoint, store.bucket.region) == (
        bucket,
        prefix,
        endpoint,
        region,
    )


def test_tls_comes_from_the_endpoint() -> None:
    for scheme in ("http", "https"):
        store = open_store(f"s3://runs?endpoint={scheme}://s3.example&region=x")
        assert isinstance(store, S3Store)
        assert store.bucket.sign("GET", "a").startswith(f"{scheme}://s3.example/runs/a?")


@pytest.mark.parametrize(
    "url, words",
    [
        ("/data/runs", r"is not a store's URL; write file:///data/runs or s3://bucket"),
        ("gs://runs", r"is not a store's URL"),
        ("file://data/runs", r"does not name a folder of this machine; write it as file:///data/runs"),
        ("file:data", r"does not name a folder"),
        ("file:///data?x=1", r"does not name a folder"),
        ("file:///a%00b", r"NUL"),
        ("s3://", r"is not the URL of a bucket; write s3://bucket/prefix"),
        ("s3://Runs?endpoint=http://h", r"'Runs' cannot be a bucket"),
        ("s3://runs/../x?endpoint=http://h", r"is not the URL of a bucket"),
        ("s3://runs?endpont=http://h", r"is not the URL of a bucket \(unknown: endpont\)"),
        (
            "s3://runs?endpoint=127.0.0.1:8333",
            r"endpoint '127.0.0.1:8333' .* is not a server's address; write https://",
        ),
        ("s3://runs?endpoint=http://h/path", r"is not a server's address"),
        ("s3://host:9000/runs", r"has more than a bucket's name before the path; put the host into \?endpoint="),
    ],
)
def test_a_bad_url_gets_one_sentence(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        open_store(url)


def test_credentials_in_a_url_are_refused_and_not_repeated() -> None:
    with pytest.raises(StoreError, match="credentials into the environment") as caught:
        open_store("s3://key:hunter2@runs?endpoint=http://h")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("missing", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_missing_credentials_are_asked_for(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(missing)
    with pytest.raises(StoreError, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        open_store("s3://runs?endpoint=http://127.0.0.1:8333")


def test_a_folder_is_opened_without_loading_the_s3_client(tmp_path: Path) -> None:
    script = (
        "import sys; from orchestrator.storage.open import open_store; import orchestrator.storage.transfer as t;"
        f"open_store({tmp_path.as_uri()!r}).write('a', b''); t.put({(tmp_path / 'b').as_uri()!r}, b'');"
        "print(*sorted({'minio', 'urllib3'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize(
    "store, url",
    [
        ("file:///data/runs", "file:///data/runs/a/report.json"),
        ("s3://runs?endpoint=http://host:8333", "s3://runs/a/report.json?endpoint=http://host:8333"),
        ("s3://b/team?endpoint=http://h&region=x", "s3://b/team/a/report.json?endpoint=http://h&region=x"),
    ],
)
def test_an_objects_url_tells_which_store_it_is_in(store, url):
    assert url_of(store, "a/report.json") == url
    assert store_with(url, "a/report.json") == store
    assert store_with(url, "b/report.json") is None
