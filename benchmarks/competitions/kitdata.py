"""Data of any size from the tests' kit: raw files as it makes them, and answers with a submission to be graded.

The kit makes about twenty submissions to an answer, row by row in Python, which is slow for a million rows. So larger
answers are mostly those of the usual size repeated, each copy with ids of its own: a text gets the copy's number in
front, a whole number is counted on. KEYS names the columns that tell rows apart where that is not the first one of the
submission; GROWN lists the competitions whose answers can't be repeated and are made by the kit at every size.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pandas as pd

import catalog
import preparers

KIT = Path(__file__).parents[2] / "tests" / "kit"
if str(KIT) not in sys.path:
    sys.path.insert(0, str(KIT))

import kit  # type: ignore[import-not-found]  # noqa: E402 - found through the line above
from digest import file_digest  # type: ignore[import-not-found]  # noqa: E402

MOST_ROWS = 4_000_000
PREFERRED = ("noisy", "rough", "random", "guess")

KEYS: dict[str, tuple[str, ...]] = {
    "detecting-insults-in-social-commentary": (),  # rows count by their position
    "osic-pulmonary-fibrosis-progression": ("Patient", "Patient_Week"),
    "rsna-2022-cervical-spine-fracture-detection": ("StudyInstanceUID", "row_id"),
}
GROWN = {
    "tensorflow2-question-answering": "answers are JSON documents",
    "vesuvius-challenge-ink-detection": "there is one picture, whose size grows",
}


PICTURES_HELD_BACK = 5_000
RAW_SIZES: dict[str, tuple[str, Callable[[int], int]]] = {
    "alaska2-image-steganalysis": (
        "pictures",
        lambda covers: 4 * (covers - PICTURES_HELD_BACK) + PICTURES_HELD_BACK,  # one form of each that is held back
    ),
}
"""What preparing is proportional to, where that is not the n of the kit."""


@dataclass(frozen=True)
class GradingData:
    """How to make a submission and answers of growing size: `make(folder, n)` writes both and returns the size."""

    unit: str
    first: int
    most: int
    make: Callable[[Path, int], float]


def ids() -> list[str]:
    """Every competition."""
    return list(kit.ids())


def usual_n(competition_id: str) -> int:
    return int(kit.load(competition_id).N)


def unit(competition_id: str) -> str:
    """What the kit's n counts, in the words of its module."""
    line = re.search(r"^N = .*#\s*(.*)$", inspect.getsource(module(competition_id)), re.MULTILINE)
    return re.split(r"[;,:(]| of the raw| in the raw| left ", line[1])[0].strip() if line else "n"


def raw_unit(competition_id: str) -> str:
    """What the size of raw files counts."""
    return RAW_SIZES[competition_id][0] if competition_id in RAW_SIZES else unit(competition_id)


def make_raw(competition_id: str, raw: Path, n: int) -> float:
    """Make raw files; the size that preparing them should be proportional to."""
    kit.make_raw(competition_id, raw, n=n)
    return float(RAW_SIZES[competition_id][1](n) if competition_id in RAW_SIZES else n)


def digest(path: Path) -> str:
    """A digest of a prepared file; of an archive, one of its members."""
    return str(file_digest(path))


def grading_data(competition_id: str, scratch: Path) -> GradingData:
    """Answers and submissions of any size; the usual case that is repeated is made once, in the scratch folder."""
    if competition_id in GROWN:
        return GradingData(unit(competition_id), usual_n(competition_id), 10**8, _grower(competition_id))
    return GradingData("rows", 1, MOST_ROWS, _repeater(competition_id, scratch / "usual"))


def module(competition_id: str) -> ModuleType:
    """The kit's module of a competition."""
    found: ModuleType = kit.load(competition_id)
    return found


def _grower(competition_id: str) -> Callable[[Path, int], float]:
    def make(folder: Path, n: int) -> float:
        make_case(competition_id, folder, n)
        return float(n)

    return make


def _repeater(competition_id: str, usual: Path) -> Callable[[Path, int], float]:
    """The usual case, n times; the size is the number of the submission's rows."""

    def make(folder: Path, n: int) -> float:
        if not usual.exists():
            make_case(competition_id, usual, usual_n(competition_id))
        shutil.copytree(usual, folder, dirs_exist_ok=True)
        answers = folder / "private" / catalog.load(competition_id).answers
        tables = {path: read_text(path) for path in (answers, folder / "submission.csv")}
        keys = KEYS.get(competition_id, (str(tables[folder / "submission.csv"].columns[0]),))
        for path, table in tables.items():
            repeat(table, keys, n).to_csv(path, index=False)
        return float(len(tables[folder / "submission.csv"]) * n)

    return make


def make_case(competition_id: str, folder: Path, n: int) -> None:
    """Answers in `private` and a valid submission, of a kit of size n."""
    kit.make_raw(competition_id, folder / "raw", n=n)
    preparers.prepare(competition_id, folder / "raw", folder / "public", folder / "private")
    made = kit.submissions(competition_id, folder / "public", folder / "private")
    kit.write_submission(made[choose(list(made))], folder / "submission.csv")
    for name in ("raw", "public"):
        shutil.rmtree(folder / name)


def choose(names: list[str]) -> str:
    """The submission to be graded: one that is wrong here and there, so that there is something to compute."""
    usual = [name for name in names if not name.startswith(("bad_", "quirk_", "sample", "perfect", "gold"))]
    return next((name for name in PREFERRED if name in usual), usual[0])


def read_text(path: Path) -> pd.DataFrame:
    """A table whose cells stay as they are written."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def repeat(table: pd.DataFrame, keys: tuple[str, ...], times: int) -> pd.DataFrame:
    """The table's rows again and again, each copy with keys of its own."""
    whole = pd.concat([table] * times, ignore_index=True)
    copy = whole.index // len(table)
    for key in whole.columns.intersection(list(keys)):
        if table[key].str.fullmatch(r"\d+").all():
            numbers = table[key].astype("int64")
            whole[key] = whole[key].astype("int64") + copy * (int(numbers.max()) + 1)
        else:
            whole[key] = [f"{number}-{text}" if number else text for number, text in zip(copy, whole[key], strict=True)]
    return whole
