"""What is measured: the preparation or the grading of one competition, on data of any size.

A `Work` makes its data below a folder, runs on them, and may know an obvious implementation to be compared with. Both
must give the same: the same bytes in every prepared file and every member of an archive, or the same score.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import numpy as np

import catalog
import graders
import preparers
from benchmarks.competitions import kitdata
from benchmarks.competitions.obvious.reading import read

SIDES = ("prepare", "grade")


@dataclass(frozen=True)
class Work:
    """Something to be measured; `first` and `most` bound the n that `make` gets."""

    name: str
    unit: str
    first: int
    most: int
    make: Callable[[Path, int], float]
    """Writes data of size n below a folder; returns the size that the work should be proportional to."""
    run: Callable[[Path], Any]
    obvious: Callable[[Path], Any] | None = None
    floor: Callable[[Path], Any] | None = None
    """What every implementation does at least: for a grader, reading both tables."""
    essence: Callable[[Any], Any] = lambda outcome: outcome
    """What of a run's outcome must be the same for both; computed outside of what is measured."""


def work_for(competition_id: str, side: str, scratch: Path) -> Work:
    """The preparation or the grading of a competition; `scratch` is for what all its sizes have in common."""
    competition = catalog.load(competition_id)
    for code in (competition.preparer, competition.grader):
        resolve_name(code)  # here, and not again in each process that is forked
    kitdata.module(competition_id)
    return _preparation(competition_id) if side == "prepare" else _grading(competition_id, scratch)


def module_name(competition_id: str) -> str:
    """The name of a competition's modules, here as in `preparers` and `graders`."""
    return catalog.load(competition_id).grader.partition(":")[0].rpartition(".")[2]


def _preparation(competition_id: str) -> Work:
    large, obvious = _optional("large", competition_id), _optional("obvious", competition_id)
    own = large if hasattr(large, "make_raw") else None

    def make(folder: Path, n: int) -> float:
        if own is None:
            return kitdata.make_raw(competition_id, folder / "raw", n)
        (folder / "raw").mkdir()
        own.make_raw(folder / "raw", np.random.default_rng(0), n)
        return float(n)

    def prepare(raw: Path, public: Path, private: Path) -> None:
        preparers.prepare(competition_id, raw, public, private)

    plain = getattr(obvious, "prepare", None)
    return Work(
        name=f"{competition_id} prepare",
        unit=own.RAW_UNIT if own else kitdata.raw_unit(competition_id),
        first=own.RAW_FIRST if own else kitdata.usual_n(competition_id),
        most=10**8,
        make=make,
        run=_fresh_folders(prepare),
        obvious=plain and _fresh_folders(plain),
        essence=_digest_tree,
    )


def _fresh_folders(prepare: Callable[[Path, Path, Path], None]) -> Callable[[Path], str]:
    """Prepare into folders that are new each time; the folder that holds them."""

    def run(folder: Path) -> str:
        out = Path(tempfile.mkdtemp(prefix="prepared-", dir=folder))
        prepare(folder / "raw", out / "public", out / "private")
        return str(out)

    return run


def _digest_tree(prepared: str) -> dict[str, str]:
    """A digest of each file that was prepared; of an archive, one of its members."""
    root = Path(prepared)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): kitdata.digest(path) for path in files}


def _grading(competition_id: str, scratch: Path) -> Work:
    large, obvious = _optional("large", competition_id), _optional("obvious", competition_id)

    def grade(folder: Path) -> float:
        report = graders.grade(competition_id, folder / "submission.csv", folder / "private")
        if report.score is None:
            raise ValueError(f"The submission was to have a score, but: {report.reason}")
        return float(report.score)

    def grade_plainly(folder: Path) -> float:
        assert obvious is not None
        return round(float(obvious.grade(folder / "submission.csv", folder / "private")), 5)

    def read_both(folder: Path) -> None:
        for path in (folder / "submission.csv", folder / "private" / answers):
            read(path)

    answers = catalog.load(competition_id).answers
    made = kitdata.grading_data(competition_id, scratch)
    if hasattr(large, "make_case"):
        assert large is not None
        made = kitdata.GradingData(large.CASE_UNIT, large.CASE_FIRST, large.CASE_MOST, _case_maker(large))
    return Work(
        name=f"{competition_id} grade",
        unit=made.unit,
        first=made.first,
        most=made.most,
        make=made.make,
        run=grade,
        obvious=grade_plainly if hasattr(obvious, "grade") else None,
        floor=read_both if answers.endswith(".csv") else None,
    )


def _case_maker(large: ModuleType) -> Callable[[Path, int], float]:
    def make(folder: Path, n: int) -> float:
        (folder / "private").mkdir()
        large.make_case(folder / "private", folder / "submission.csv", np.random.default_rng(0), n)
        return float(n)

    return make


def _optional(package: str, competition_id: str) -> ModuleType | None:
    name = f"benchmarks.competitions.{package}.{module_name(competition_id)}"
    return importlib.import_module(name) if find_spec(name) else None
