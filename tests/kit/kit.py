"""Synthetic competitions: raw data in Kaggle's layout and submissions good and bad, all from a seed.

    kit.make_raw("champs-scalar-coupling", folder, seed=0)
    ... prepare ...
    kit.submissions("champs-scalar-coupling", public, private, seed=0)["noisy"]
    kit.golden("champs-scalar-coupling", seed=0).scores["noisy"]

Each competition is a module `competitions/<id>.py`: `N`, the usual size; `make_raw(raw, rng, n)`; `submissions(public,
private, rng)`, tables by name, those called bad_* to be rejected. Its golden figures, for seeds 0 and 1 at the usual
size, are in `golden/<id>.json`: digests of the prepared v1 files (see `digest.py`) and the v1 score of each submission,
null where it is rejected.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

import catalog

HERE = Path(__file__).parent
SEEDS = (0, 1)

if str(HERE) not in sys.path:  # the competitions import rawfiles
    sys.path.insert(0, str(HERE))


@dataclass(frozen=True)
class Golden:
    """What v1 must give for one seed."""

    n: int
    public: dict[str, str]
    private: dict[str, str]
    scores: dict[str, float | None]


def ids() -> list[str]:
    """Every competition that the kit can make."""
    return sorted(path.stem for path in (HERE / "competitions").glob("*.py"))


def implemented() -> list[str]:
    """Those of them that the project can prepare and grade."""

    def is_there(import_path: str) -> bool:
        return importlib.util.find_spec(import_path.partition(":")[0]) is not None

    competitions = (catalog.load(competition_id) for competition_id in ids())
    return [made.id for made in competitions if is_there(made.preparer) and is_there(made.grader)]


@cache
def load(competition_id: str) -> ModuleType:
    """The competition's module."""
    path = HERE / "competitions" / f"{competition_id}.py"
    spec = importlib.util.spec_from_file_location(f"kit_{competition_id}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_raw(competition_id: str, raw: Path, seed: int = 0, n: int | None = None) -> None:
    """Write raw files into a folder, which is made."""
    module = load(competition_id)
    raw.mkdir(parents=True, exist_ok=True)
    module.make_raw(raw, np.random.default_rng([seed, 1]), module.N if n is None else n)


def submissions(competition_id: str, public: Path, private: Path, seed: int = 0) -> dict[str, pd.DataFrame]:
    """Submissions to prepared v1 data, by name."""
    made: dict[str, pd.DataFrame] = load(competition_id).submissions(public, private, np.random.default_rng([seed, 2]))
    return made


def write_submission(frame: pd.DataFrame, path: Path) -> Path:
    """A submission as an agent would leave it."""
    frame.to_csv(path, index=False)
    return path


def golden(competition_id: str, seed: int) -> Golden:
    """The figures that v1 must give."""
    figures = json.loads((HERE / "golden" / f"{competition_id}.json").read_text())[str(seed)]
    return Golden(figures["n"], figures["public"], figures["private"], figures["scores"])
