"""Kits for which there are no golden figures: other seeds and sizes, against the obvious implementations.

These follow the specifications line by line (`benchmarks/competitions/obvious`), and share no code with what they are
held against. MLECTL_KIT_SEEDS=2-6 tries more seeds than one.
"""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import graders
import preparers
from benchmarks.competitions import kitdata
from benchmarks.competitions.kitdata import kit
from benchmarks.competitions.work import module_name

FIRST, _, LAST = os.environ.get("MLECTL_KIT_SEEDS", "2").partition("-")
SEEDS = range(int(FIRST), int(LAST or FIRST) + 1)
Scores = dict[str, float | None]
UNUSUAL = ("bad_", "quirk_")
"""Submissions that are to be refused, or that a rule of its own is about: the obvious way knows neither."""


@pytest.mark.filterwarnings("ignore")  # of the obvious way: scores on constants, files left open
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("competition", kitdata.ids())
def test_ours_and_the_obvious_way_agree_on_another_kit(competition: str, seed: int, tmp_path: Path) -> None:
    obvious = importlib.import_module(f"benchmarks.competitions.obvious.{module_name(competition)}")
    usual = kitdata.usual_n(competition)
    kit.make_raw(competition, tmp_path / "raw", seed=seed, n=usual + usual // 4)
    for name, prepare in (("ours", _prepare_as_usual(competition)), ("obvious", obvious.prepare)):
        prepare(tmp_path / "raw", tmp_path / name / "public", tmp_path / name / "private")
    assert _digests(tmp_path / "ours") == _digests(tmp_path / "obvious")
    ours, plain = _scores(competition, seed, obvious, tmp_path / "ours")
    assert ours == plain
    assert any(score is not None for score in ours.values())


def _prepare_as_usual(competition: str) -> Callable[[Path, Path, Path], object]:
    return lambda raw, public, private: preparers.prepare(competition, raw, public, private)


def _scores(competition: str, seed: int, obvious: ModuleType, prepared: Path) -> tuple[Scores, Scores]:
    """Of the ordinary submissions, ours and the obvious ones; a score that is no number is none."""
    ours, plain = {}, {}
    public, private = prepared / "public", prepared / "private"
    for name, table in kit.submissions(competition, public, private, seed=seed).items():
        if not name.startswith(UNUSUAL):
            path = kit.write_submission(table, prepared / f"{name}.csv")
            ours[name] = graders.grade(competition, path, private).score
            score = round(float(obvious.grade(path, private)), 5)
            plain[name] = score if math.isfinite(score) else None
    return ours, plain


def _digests(prepared: Path) -> dict[str, str]:
    files = sorted(path for path in prepared.rglob("*") if path.is_file())
    return {path.relative_to(prepared).as_posix(): kitdata.digest(path) for path in files}
