"""The archive on its way: fetched in one go or in many, each from where the last one broke off."""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import requests
import urllib3

from orchestrator.worker.kaggle.client import Kaggle, out_of_reach
from orchestrator.worker.kaggle.errors import DiskFull, OutOfReach, readable, require_room
from orchestrator.worker.kaggle.note import Note

CHUNK = 1 << 20
Report = Callable[[int, int | None], None]
"""Bytes so far, and bytes in all if that is known."""


def fetch(competition: str, target: Path, *, waits: Sequence[float], report: Report) -> None:
    """Bring the archive to `target`, going on from what is there; a broken connection is taken up again after a wait.

    The waits start over whenever bytes have come. What came is kept when it gives up.
    """
    if _size(target) and _size(target) == Note.beside(target).total:
        return
    left = list(waits)
    with Kaggle(waits) as kaggle:
        while True:
            before = _size(target)
            try:
                _fetch_rest(kaggle, competition, target, report)
                return
            except OutOfReach as error:
                if _size(target) > before:
                    left = list(waits)
                if not left:
                    raise
                time.sleep(max(left.pop(0), error.wait))


def _fetch_rest(kaggle: Kaggle, competition: str, target: Path, report: Report) -> None:
    """One request for what is missing, and all that comes of it; a second if what is here turns out to be of no use."""
    note, offset = Note.beside(target), _size(target)
    with kaggle.open_archive(competition, offset, note.validator) as response:
        start, total = _extent(response)
        if response.status_code == 416 and total == offset:
            return
        if start == 0 or (start == offset and note.may_go_on_with(total)):
            _take(response, competition, target, start, total, report)
            return
        if not offset:
            raise OutOfReach(
                f"Kaggle's server answered for {competition} with status {response.status_code}: run this again."
            )
    target.unlink()
    _fetch_rest(kaggle, competition, target, report)


def _extent(response: requests.Response) -> tuple[int | None, int | None]:
    """Where in the archive the answer starts, and how long the archive is; None for what it does not say."""
    if response.status_code == 200:
        length = response.headers.get("Content-Length", "")
        return 0, int(length) if length.isdigit() else None
    found = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", response.headers.get("Content-Range", ""))
    if not found:
        return None, None
    return int(found[1]) if found[1] else None, int(found[2]) if found[2] != "*" else None


def _take(
    response: requests.Response, competition: str, target: Path, start: int, total: int | None, report: Report
) -> None:
    """Write what the answer brings, which must be everything from `start` on."""
    if start == 0:
        Note.said_in(response.headers, total).write(target)
    require_room(f"the archive of {competition}", target.parent, (total or 0) - start)
    _append(response, target, start, total, report)
    if total is not None and _size(target) != total:
        raise OutOfReach(
            f"The download of {competition} broke off at {readable(_size(target))} of {readable(total)}: "
            "run this again, what was fetched is kept."
        )


def _append(response: requests.Response, target: Path, start: int, total: int | None, report: Report) -> None:
    done = start
    try:
        with target.open("r+b" if target.exists() else "wb") as file:
            file.truncate(start)
            file.seek(start)
            report(done, total)
            # Not iter_content: it gathers whole chunks, and drops what it has of one when the connection breaks.
            while chunk := response.raw.read1(CHUNK):
                file.write(chunk)
                file.flush()  # whoever is told may want to read it
                done += len(chunk)
                report(done, total)
    except (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError) as error:
        raise out_of_reach(error, response.url.split("?")[0]) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(target.parent).free
            raise DiskFull("the archive", target.parent, total and total - done, free) from error
        raise


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def md5_of(path: Path, report: Report) -> str:
    """The file's MD5 sum in hexadecimal."""
    digest, done, total = hashlib.md5(usedforsecurity=False), 0, path.stat().st_size
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            report(done, total)
    return digest.hexdigest()
