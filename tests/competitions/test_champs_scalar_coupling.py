"""champs-scalar-coupling: v2 gives the structures of test molecules, floors the error and rejects repeated ids."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ID = "champs-scalar-coupling"
TRAIN_ONLY = (
    "train.csv",
    "dipole_moments.csv",
    "magnetic_shielding_tensors.csv",
    "mulliken_charges.csv",
    "potential_energy.csv",
    "scalar_coupling_contributions.csv",
)


def molecules(made: Any) -> set[str]:
    return set(pd.read_csv(made.private / "answers.csv")["molecule_name"])


def shown(made: Any) -> tuple[set[str], set[str]]:
    table = pd.read_csv(made.public / "structures.csv")["molecule_name"]
    return set(table), {path.stem for path in (made.public / "structures").iterdir()}


def test_v1_has_no_structure_of_a_test_molecule_and_v2_has_them_all(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for where in shown(v1):
        assert not where & molecules(v1)
    train = set(pd.read_csv(v2.public / "train.csv")["molecule_name"])
    for where in shown(v2):
        assert where == train | molecules(v2)


def test_all_else_is_the_same_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for name in (*TRAIN_ONLY, "test.csv", "sample_submission.csv"):
        assert (v1.public / name).read_bytes() == (v2.public / name).read_bytes()
    assert (v1.private / "answers.csv").read_bytes() == (v2.private / "answers.csv").read_bytes()


def test_a_perfect_submission_has_a_number_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    perfect = v1.submissions()["perfect"]

    assert v1.grade(perfect, tmp_path / "s.csv").score is None
    assert v2.grade(perfect, tmp_path / "s.csv").score == pytest.approx(-20.72327, abs=1e-5)


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    noisy = v1.submissions()["noisy"]

    assert v1.grade(noisy, tmp_path / "s.csv").score == v2.grade(noisy, tmp_path / "s.csv").score


def test_repeated_ids_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    repeated = v1.submissions()["quirk_repeated_ids"]

    assert v1.grade(repeated, tmp_path / "s.csv").valid
    assert v2.grade(repeated, tmp_path / "s.csv").rejection["reason"] == "WrongRowCount"
