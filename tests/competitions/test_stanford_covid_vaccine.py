"""stanford-covid-vaccine: v2 reads rows in any order and keeps similar molecules on one side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd
import pytest

import preparers

ID = "stanford-covid-vaccine"


def test_rows_in_another_order_are_misread_in_v1_and_the_same_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version, best in (("v1", False), ("v2", True)):
        made = prepared(ID, version=version)
        perfect = pd.read_csv(made.private / "test.csv").drop(columns="keep")
        shuffled = perfect.sample(frac=1, random_state=0)
        assert made.grade(perfect, tmp_path / "s.csv").score == 0
        assert (made.grade(shuffled, tmp_path / "s.csv").score == 0) == best


@pytest.mark.parametrize("column", ["reactivity", "deg_50C"])
def test_missing_values_that_do_not_count_are_rejected_in_v2_only(
    column: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version, valid in (("v1", True), ("v2", False)):
        made = prepared(ID, version=version)
        answers = pd.read_csv(made.private / "test.csv")
        gap = pd.read_csv(made.public / "sample_submission.csv")
        gap.loc[~answers["keep"], column] = None
        assert made.grade(gap, tmp_path / "s.csv").valid == valid


@pytest.fixture
def relatives(tmp_path: Path) -> Path:
    """Raw molecules, each two of which share their first or their second half."""
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0, n=100)
    molecules = [json.loads(line) for line in (raw / "train.json").read_text().splitlines()]
    for place in range(1, len(molecules), 2):
        one, other = molecules[place - 1]["sequence"], molecules[place]["sequence"]
        mixed = one[:34] + other[34:] if place % 4 == 1 else other[:25] + one[25:50] + other[50:]
        molecules[place]["sequence"] = mixed
    (raw / "train.json").write_text("".join(json.dumps(molecule) + "\n" for molecule in molecules))
    return raw


def relatives_across(public: Path) -> int:
    """How many test molecules share a half of the 50 bases that all are scored for with a train molecule."""
    train, test = (
        [json.loads(line)["sequence"] for line in (public / name).read_text().splitlines()]
        for name in ("train.json", "test.json")
    )
    halves = {sequence[:25] for sequence in train} | {sequence[25:50] for sequence in train}
    return sum(sequence[:25] in halves or sequence[25:50] in halves for sequence in test)


def test_similar_molecules_are_on_both_sides_in_v1_and_on_one_in_v2(relatives: Path, tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        preparers.prepare(ID, relatives, tmp_path / version / "public", tmp_path / version / "private", version)

    assert relatives_across(tmp_path / "v1/public")
    assert not relatives_across(tmp_path / "v2/public")
    tests = [(tmp_path / version / "public/test.json").read_text().count("\n") for version in ("v1", "v2")]
    assert tests == [10, 10]


def test_v2_tests_only_molecules_with_a_clean_signal(relatives: Path, tmp_path: Path) -> None:
    preparers.prepare(ID, relatives, tmp_path / "public", tmp_path / "private", "v2")

    clean = {m["id"] for m in map(json.loads, (relatives / "train.json").read_text().splitlines()) if m["SN_filter"]}
    tested = [json.loads(line)["id"] for line in (tmp_path / "public/test.json").read_text().splitlines()]
    assert set(tested) <= clean
