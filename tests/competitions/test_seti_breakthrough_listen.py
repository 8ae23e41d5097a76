"""seti-breakthrough-listen: v2 takes copies of test snippets, and their labels, out of the earlier data."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import preparers

ID = "seti-breakthrough-listen"
LABELS = "old_leaky_data/train_labels_old.csv"


@pytest.fixture
def leaky(prepared: Callable[..., Any], tmp_path: Path) -> Callable[[str], Path]:
    """Raw files whose earlier data has a test snippet and a train snippet, prepared in a version: the public folder."""
    made = prepared(ID)
    raw = tmp_path / "raw"
    shutil.copytree(made.raw, raw)
    hidden = pd.read_csv(made.private / "test.csv", dtype=str)["id"][0]
    shown = pd.read_csv(made.public / "train_labels.csv", dtype=str)["id"][0]
    for old, snippet in (("00aa", hidden), ("00bb", shown)):
        copy = raw / f"old_leaky_data/train_old/0/{old}.npy"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(raw / f"train/{snippet[0]}/{snippet}.npy", copy)
    (raw / LABELS).write_text("id,target\n00aa,1\n00bb,0\n")

    def prepare(version: str) -> Path:
        public = tmp_path / version / "public"
        preparers.prepare(ID, raw, public, tmp_path / version / "private", version)
        return public

    return prepare


def test_a_copy_of_a_test_snippet_is_given_with_its_label_in_v1_only(leaky: Callable[[str], Path]) -> None:
    v1, v2 = leaky("v1"), leaky("v2")

    assert (v1 / "old_leaky_data/train_old/0/00aa.npy").exists()
    assert (v1 / LABELS).read_text() == "id,target\n00aa,1\n00bb,0\n"
    assert not (v2 / "old_leaky_data/train_old/0/00aa.npy").exists()
    assert (v2 / LABELS).read_text() == "id,target\n00bb,0\n"


def test_other_snippets_stay_in_v2(leaky: Callable[[str], Path]) -> None:
    v1, v2 = leaky("v1"), leaky("v2")
    before, after = ({p.relative_to(root) for p in root.rglob("*")} for root in (v1, v2))

    assert {path.name for path in before - after} == {"00aa.npy"}
    assert not after - before


def test_without_copies_v2_is_the_same(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    one, two = (
        {p.relative_to(made.public): p.is_dir() or p.read_bytes() for p in made.public.rglob("*")} for made in (v1, v2)
    )

    assert one == two
