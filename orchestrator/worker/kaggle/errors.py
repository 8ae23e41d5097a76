"""What can stand between a competition and its raw files. Each message says what happened and what to do.

KaggleError
├── NoCredentials          there are none, or Kaggle does not accept them
├── RulesNotAccepted       of one or several competitions; `competitions` lists them
├── CompetitionNotFound    Kaggle has none of that id, or not for this account
├── OutOfReach             the network or Kaggle fails; what was fetched is kept
├── DiskFull               no room for the archive or for what is in it
├── ChecksumMismatch       the archive is not the one that the benchmark was made from
└── BadArchive             the archive can't be unpacked safely
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

TOKEN_PAGE = "https://www.kaggle.com/settings/api"  # noqa: S105 - an address, not a token


class KaggleError(Exception):
    """The raw files can't be had; the message says why and what to do."""

    exit_code: ClassVar[int] = 3
    """Of a command that ends with it: 3, something needed is missing or out of reach; 1, it is there but wrong."""
    try_again: ClassVar[bool] = False
    """Whether the same call may succeed later without anybody doing anything."""


class NoCredentials(KaggleError):
    """Kaggle wants to know who asks."""


class RulesNotAccepted(KaggleError):
    """Somebody has to accept rules on Kaggle's pages first."""

    def __init__(self, competitions: Sequence[str], checked: int = 1, also: str = "") -> None:
        self.competitions = tuple(competitions)
        if len(self.competitions) == 1:
            name = self.competitions[0]
            message = f"The rules of {name} are not accepted yet: join it at {rules_page(name)}, then run this again."
        else:
            lines = "".join(f"\n  {name}  {rules_page(name)}" for name in self.competitions)
            message = (
                f"The rules of {len(self.competitions)} of {checked} competitions are not accepted yet: "
                f"join each at its page, then run this again.{lines}"
            )
        super().__init__(f"{message}\n{also}" if also else message)


class CompetitionNotFound(KaggleError):
    """No such competition, as far as this account can see."""

    def __init__(self, competitions: Sequence[str]) -> None:
        self.competitions = tuple(competitions)
        names = ", ".join(self.competitions)
        super().__init__(
            f"Kaggle has no competition {names} that this account can see: "
            "compare the id with the address of the competition's page, https://www.kaggle.com/competitions/<id>."
        )


class OutOfReach(KaggleError):
    """Kaggle can't be reached, breaks off, or asks for patience (then `wait` is how long)."""

    try_again = True

    def __init__(self, message: str, wait: float = 0.0) -> None:
        self.wait = wait
        super().__init__(message)


class DiskFull(KaggleError):
    """There is not enough room."""

    def __init__(self, what: str, folder: Path, needed: int | None, free: int) -> None:
        need = f"{readable(needed)} are needed and " if needed is not None else ""
        super().__init__(
            f"There is no room for {what} in {folder}: {need}{readable(free)} are free; "
            "make room or choose another folder, then run this again."
        )


def require_room(what: str, folder: Path, needed: int) -> None:
    """Raise unless so many bytes fit into the folder."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DiskFull(what, folder, needed, free)


class ChecksumMismatch(KaggleError):
    """The archive's MD5 sum is another one than the benchmark's."""

    exit_code = 1

    def __init__(self, competition: str, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(
            f"The archive of {competition} is not the one that the benchmark was made from: its MD5 sum is {found}, "
            f"expected {expected}. It was deleted; run this again, and if the sum stays the same, Kaggle has changed "
            "the files and scores on them can't be compared."
        )


class BadArchive(KaggleError):
    """The archive is broken, or has members that have no business there."""

    exit_code = 1


def rules_page(competition: str) -> str:
    """Where a person accepts a competition's rules."""
    return f"https://www.kaggle.com/competitions/{competition}/rules"


def readable(size: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"
