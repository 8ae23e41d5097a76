"""A folder that comes into being whole: filled under another name beside its place, then renamed.

For a target `work/public` everything happens in `work/.public.preparing`, so that links and the final rename stay on
one file system. What a killed process left there is removed by the next one; a lock keeps two running ones apart.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from preparers.errors import PreparationError


class Staging:
    """Context manager: `result` to fill and `scratch` for unpacked archives; gone at the end, committed or not."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self._root = target.parent / f".{target.name}.preparing"
        self.result = self._root / "result"
        self.scratch = self._root / "scratch"

    def __enter__(self) -> Self:
        self._root.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._root, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise PreparationError(f"Another process is preparing {self.target}: wait until it is done.") from None
        for folder in (self.result, self.scratch):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        return self

    def commit(self) -> None:
        """Put the result in its place, which is absent or an empty folder."""
        self.result.rename(self.target)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self._root, ignore_errors=True)
        os.close(self._lock)
