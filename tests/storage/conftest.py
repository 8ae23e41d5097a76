"""Stores to test: a folder, and a bucket of a real S3 server that lives as long as the session."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from tests.s3server import OWNER, S3Server
from tests.storage.proxy import Proxy

BUCKET = "tests"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    with S3Server.start() as server:
        server.make_bucket(BUCKET)
        yield server


@pytest.fixture
def s3_url(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty prefix of the bucket, with the credentials for it in the environment."""
    for name, value in OWNER.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server.url(BUCKET, prefix=f"test {uuid.uuid4().hex}")


@pytest.fixture(params=["file", "s3"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return (tmp_path / "a store").as_uri()
    url: str = request.getfixturevalue("s3_url")
    return url


@pytest.fixture
def store(store_url: str) -> Store:
    """An empty store; a test that uses it runs once for each kind."""
    return open_store(store_url)


@pytest.fixture
def s3(s3_url: str) -> Store:
    return open_store(s3_url)


@pytest.fixture
def proxy(s3_server: S3Server) -> Iterator[Proxy]:
    """A connection to the S3 server that can be broken."""
    with Proxy(s3_server.port) as proxy:
        yield proxy


@pytest.fixture
def through(proxy: Proxy, s3_server: S3Server) -> Callable[[str], str]:
    """The same store's URL, by way of the proxy."""
    return lambda url: url.replace(s3_server.endpoint, proxy.endpoint)
