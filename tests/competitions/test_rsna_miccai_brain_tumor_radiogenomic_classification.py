"""rsna-miccai-brain-tumor-radiogenomic-classification: v2 keeps the faulty subjects out of the test part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import preparers

ID = "rsna-miccai-brain-tumor-radiogenomic-classification"
FAULTY = "00123"


@pytest.fixture
def subjects(prepared: Callable[..., Any], tmp_path: Path) -> Callable[[str], tuple[set[str], set[str]]]:
    """Prepare raw files in which a faulty subject falls to the test part: the train and test subjects of a version."""
    hidden = pd.read_csv(prepared(ID).private / "test.csv", dtype=str)["BraTS21ID"][0]
    raw = tmp_path / "raw"
    labels = pd.read_csv(prepared(ID).raw / "train_labels.csv", dtype=str).replace({hidden: FAULTY})
    for subject in labels["BraTS21ID"]:
        (raw / "train" / subject).mkdir(parents=True)
        (raw / "train" / subject / "Image-1.dcm").write_text(subject)
    labels.to_csv(raw / "train_labels.csv", index=False)

    def prepare(version: str) -> tuple[set[str], set[str]]:
        public, private = tmp_path / version / "public", tmp_path / version / "private"
        preparers.prepare(ID, raw, public, private, version)
        tables = (public / "train_labels.csv", private / "test.csv")
        train, test = (set(pd.read_csv(table, dtype=str)["BraTS21ID"]) for table in tables)
        for part, rows in (("train", train), ("test", test)):
            assert {path.name for path in (public / part).iterdir()} == rows
        return train, test

    return prepare


def test_a_faulty_subject_can_be_a_test_case_in_v1_only(
    subjects: Callable[[str], tuple[set[str], set[str]]],
) -> None:
    train_1, test_1 = subjects("v1")
    train_2, test_2 = subjects("v2")

    assert FAULTY in test_1
    assert test_2 == test_1 - {FAULTY}
    assert train_2 == train_1 | {FAULTY}
