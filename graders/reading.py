"""Reading submissions, which are untrusted, and answers, which are ours.

A submission is read as the benchmark says: pandas at its defaults, floats exact, an empty file as an empty table.
Before pandas sees a byte of it, it must be a plain file of bounded size; nothing that it links to is ever opened.
"""

from __future__ import annotations

import json
import os
import stat
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd
from pandas._libs.parsers import STR_NA_VALUES

from graders.bulk import MAX_ROWS, check_bulk, check_limit
from graders.errors import GraderError, InvalidSubmission, Reason


def read_submission(path: Path, *, text: Collection[str] = ()) -> pd.DataFrame:
    """The table in a submission. Columns named in `text` are read as they stand: no numbers, no words for missing."""
    with _open_plain(path) as file:
        check_bulk(file)
        try:
            columns = _read(file, nrows=0).columns if text else ()
            frame = _read(file, nrows=MAX_ROWS + 1, **_as_text(columns, text))
        except pd.errors.EmptyDataError:
            return pd.DataFrame()
        except Exception as error:
            if _is_for_want_of_memory(error):
                raise MemoryError(_short(error)) from error  # ours to mend, and no verdict on the file
            raise InvalidSubmission(
                Reason.UNREADABLE,
                f"The file can't be read as CSV ({_short(error)}).",
                expected="UTF-8 text with a header line and commas between the fields",
                hint="write it with a CSV library, for instance pandas' to_csv(index=False)",
            ) from error
    check_limit(len(frame), MAX_ROWS, "rows")
    return _renumbered(_filled(frame, text))


def read_table(path: Path, *, text: Collection[str] = (), columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The table in a file of ours, read in the same way; `columns`: only these, where others are long texts."""
    with _open_ours(path) as file:
        found = _read(file, nrows=0).columns if text else ()
        return _filled(_read(file, usecols=columns, **_as_text(found, text)), text)


def read_records(path: Path) -> list[Any]:
    """The documents of a JSON lines file of ours."""
    with _open_ours(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def _open_ours(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise GraderError(f"The answers can't be read: {error}. Prepare the competition again.") from error


def _open_plain(path: Path) -> IO[bytes]:
    """The file itself: not what a link points to, not a device or a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidSubmission(
            Reason.NOT_A_PLAIN_FILE,
            f"The submission can't be opened: {error.strerror}.",
            expected="a plain file; links are not followed",
        ) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidSubmission(Reason.NOT_A_PLAIN_FILE, "The submission is not a plain file.", expected="a CSV file")
    return os.fdopen(descriptor, "rb")


def _read(file: IO[bytes], **options: Any) -> pd.DataFrame:
    file.seek(0)
    with warnings.catch_warnings():
        # Mixed types in a long column: the specifications say what becomes of them.
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        frame: pd.DataFrame = pd.read_csv(file, float_precision="round_trip", **options)
    return frame


def _as_text(columns: Collection[str], text: Collection[str]) -> dict[str, Any]:
    if not text:
        return {}
    return {
        "dtype": dict.fromkeys(text, str),
        "keep_default_na": False,
        "na_values": {column: sorted(STR_NA_VALUES) for column in columns if column not in text},
    }


def _filled(frame: pd.DataFrame, text: Collection[str]) -> pd.DataFrame:
    """Fields that a short line leaves out are empty texts, too."""
    return frame.fillna(dict.fromkeys(text, "")) if text else frame


def _renumbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows counted from 0: pandas makes an index of fields for which the header has no name. As a rule there are none,
    and then the table is not copied."""
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index(drop=True)


def _is_for_want_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or (
        isinstance(error, pd.errors.ParserError) and "out of memory" in str(error)
    )


def _short(error: Exception) -> str:
    """An exception's message in one line of printable characters."""
    line = " ".join(str(error).split())[:200].rstrip(".")
    return "".join(c if c.isprintable() else "?" for c in line) or type(error).__name__
