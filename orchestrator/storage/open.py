"""From a store's URL to the store: `file:///path` or `s3://bucket/prefix?endpoint=http://host:port&region=name`."""

import os
import re
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.keys import find_problem
from orchestrator.storage.store import Store, StoreError

EXAMPLES = "file:///data/runs or s3://bucket/prefix?endpoint=https://host:port&region=us-east-1"
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]")
AWS = "https://s3.amazonaws.com"


def open_store(url: str) -> Store:
    """The store at a URL. S3 credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return open_folder(url, parts)
    if parts.scheme == "s3":
        return open_bucket(url, parts)
    raise StoreError(f"{url!r} is not a store's URL; write {EXAMPLES}.")


def url_of(store: str, key: str) -> str:
    """The URL of an object in the store at a URL: the key goes where the path is, before the server's name."""
    path, mark, server = store.partition("?")
    return f"{path.rstrip('/')}/{key}{mark}{server}"


def store_with(url: str, key: str) -> str | None:
    """The URL of the store in which this object has this key; None if it has another one."""
    path, mark, server = url.partition("?")
    return f"{path.removesuffix(f'/{key}')}{mark}{server}" if path.endswith(f"/{key}") else None


def open_folder(url: str, parts: SplitResult) -> Store:
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or parts.query or parts.fragment or not path.startswith("/"):
        raise StoreError(f"{url!r} does not name a folder of this machine; write it as file:///data/runs.")
    if "\0" in path:
        raise StoreError(f"{url!r} has a NUL in its path; write it as file:///data/runs.")
    return FileStore(Path(path))


def open_bucket(url: str, parts: SplitResult) -> Store:
    bucket, prefix = parts.netloc, unquote(parts.path).strip("/")
    if "@" in bucket or ":" in bucket:
        raise StoreError(
            f"s3://{bucket.rpartition('@')[2]} has more than a bucket's name before the path; "
            "put the host into ?endpoint=https://host:port and credentials into the environment."
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    endpoint, region = options.pop("endpoint", AWS), options.pop("region", None)
    if not BUCKET.fullmatch(bucket) or parts.fragment or (prefix and find_problem(prefix)) or options:
        unknown = f" (unknown: {', '.join(options)})" if options else ""
        raise StoreError(f"{url!r} is not the URL of a bucket{unknown}; write {EXAMPLES.split(' or ')[1]}.")
    host = urlsplit(endpoint)
    if (
        host.scheme not in ("http", "https")
        or not host.netloc
        or host.path.strip("/")
        or host.query
        or "@" in host.netloc
    ):
        raise StoreError(f"The endpoint {endpoint!r} in {url!r} is not a server's address; write https://host:port.")
    access, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not access or not secret:
        raise StoreError(f"There are no credentials for {url}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")

    from orchestrator.storage.bucket import Bucket, Credentials
    from orchestrator.storage.s3 import S3Store

    credentials = Credentials(access, secret, os.environ.get("AWS_SESSION_TOKEN") or None)
    return S3Store(Bucket(bucket, f"{host.scheme}://{host.netloc}", region, credentials), prefix)
