"""Where an object of a store is, for a person: a path on this machine, or the URL in a bucket."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit


def place_of(store_url: str, key: str) -> str:
    """The path of an object in a folder of this machine, else its URL."""
    path = local_path(store_url, key)
    if path is not None:
        return str(path)
    return f"{store_url.split('?')[0].rstrip('/')}/{key}"


def local_path(store_url: str, key: str) -> Path | None:
    """The object's file, if the store is a folder of this machine."""
    parts = urlsplit(store_url)
    return Path(unquote(parts.path)) / key if parts.scheme == "file" else None
