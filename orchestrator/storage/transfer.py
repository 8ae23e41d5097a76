"""Reading and writing by URL, for workers that hold URLs signed for them and no credentials.

`https://…` and `http://…` are URLs presigned by an S3 store, `file://…` the ones of a local store.
"""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import unquote, urlsplit

from orchestrator.storage.blocks import BLOCK, blocks_of
from orchestrator.storage.explain import explaining
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.retry import PATIENCE, Patience, persist
from orchestrator.storage.store import StoreError

if TYPE_CHECKING:
    from orchestrator.storage.web import Answer


class UrlRefused(StoreError):
    """The store does not take this URL (any more): it has expired, or was not made for this."""


def get(url: str, target: Path, *, patience: Patience = PATIENCE) -> None:
    """Fetch what a URL names into a file, atomically; a half-fetched one is taken up where it stopped."""
    if path := local_path(url):
        FileStore(path.parent).download(path.name, target)
        return
    from orchestrator.storage.resuming import fetch

    action = f"fetch {shown(url)} into {target}"
    fetch(lambda: url, target, action, lambda answer: refusal(action, answer), patience)


def open_url(url: str, *, offset: int = 0, patience: Patience = PATIENCE) -> IO[bytes]:
    """A stream over what a URL names; over HTTP it outlives broken connections."""
    if path := local_path(url):
        return FileStore(path.parent).open(path.name, offset=offset)
    from orchestrator.storage.resuming import ResumingStream

    action = f"read {shown(url)}"
    raw = ResumingStream(lambda: url, action, lambda answer: refusal(action, answer), patience, offset=offset)
    return cast(IO[bytes], io.BufferedReader(raw, BLOCK))


def put(url: str, data: bytes | Path, *, patience: Patience = PATIENCE) -> None:
    """Write bytes, or a file, to a URL, atomically."""
    if path := local_path(url):
        put_file(path, data)
        return
    with explaining(f"send {data} to {shown(url)}" if isinstance(data, Path) else f"write {shown(url)}"):
        persist(f"write {shown(url)}", lambda: send(url, data), patience)


def put_file(path: Path, data: bytes | Path) -> None:
    store = FileStore(path.parent)
    if isinstance(data, Path):
        store.upload(path.name, data)
    else:
        store.write(path.name, data)


def send(url: str, data: bytes | Path) -> None:
    """One try to PUT. The checksum goes ahead, so that a server never takes what was damaged on the way."""
    from orchestrator.storage.web import ask

    with io.BytesIO(data) if isinstance(data, bytes) else data.open("rb") as source:
        md5 = hashlib.md5(usedforsecurity=False)
        for block in blocks_of(source):
            md5.update(block)
        headers = {
            "Content-Length": str(source.tell()),
            "Content-MD5": base64.b64encode(md5.digest()).decode(),
        }
        source.seek(0)
        answer = ask("PUT", url, body=source, headers=headers)
    if not answer.is_fine:
        raise refusal(f"write {shown(url)}", answer)


def refusal(action: str, answer: Answer) -> StoreError:
    """Why a signed URL did not work."""
    if answer.status == 413 or answer.code == "EntityTooLarge":
        return StoreError(f"Cannot {action}: {answer}; it is too large for one request, so send less of it.")
    advice = {
        403: "the URL has expired or was not made for this; ask for a new one",
        404: "there is no such object; check that it was written, then ask for a new URL",
    }.get(answer.status, "the URL cannot be used as it is; ask for a new one")
    kind = UrlRefused if answer.status == 403 else StoreError
    return kind(f"Cannot {action}: {answer}; {advice}.")


def local_path(url: str) -> Path | None:
    """The path that a file URL names; None for a URL of the web, a StoreError for any other."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.netloc:
        return None
    path = unquote(parts.path)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and path.startswith("/") and "\0" not in path:
        return Path(path)
    raise StoreError(f"{shown(url)!r} cannot be read or written; a file://, http:// or https:// URL is needed.")


def shown(url: str) -> str:
    """A URL as it may be shown: what follows `?` is a signature."""
    return url.partition("?")[0]
