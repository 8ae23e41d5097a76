"""ranzcr-clip-catheter-line-classification: v2 scores all eleven labels and splits by patient."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import catalog

ID = "ranzcr-clip-catheter-line-classification"
LABELS = list(catalog.load(ID).data["labels"])


def patients(made: Any) -> tuple[set[str], set[str]]:
    tables = (made.public / "train.csv", made.private / "test.csv")
    train, test = (set(pd.read_csv(table, dtype=str)["PatientID"]) for table in tables)
    return train, test


def test_a_patient_is_on_both_sides_in_v1_only(prepared: Callable[..., Any]) -> None:
    train, test = patients(prepared(ID))
    assert train & test

    train, test = patients(prepared(ID, version="v2"))
    assert not train & test
    assert len(test) == -(-len(train | test) // 10)


def test_pictures_and_annotations_follow_their_patients_in_v2(prepared: Callable[..., Any]) -> None:
    v2 = prepared(ID, version="v2")
    train = set(pd.read_csv(v2.public / "train.csv")["StudyInstanceUID"])
    test = set(pd.read_csv(v2.private / "test.csv")["StudyInstanceUID"])

    assert {path.stem for path in (v2.public / "train").iterdir()} == train
    assert {path.stem for path in (v2.public / "test").iterdir()} == test
    assert set(pd.read_csv(v2.public / "train_annotations.csv")["StudyInstanceUID"]) <= train


def test_two_labels_count_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    unscored = LABELS[-2:]
    for made, matters in ((v1, False), (v2, True)):
        perfect = pd.read_csv(made.private / "test.csv")
        spoiled = perfect.assign(**{label: 1 - perfect[label] for label in unscored})

        assert made.grade(perfect, tmp_path / "s.csv").score == 1
        assert (made.grade(spoiled, tmp_path / "s.csv").score < 1) == matters
    assert v1.grade(pd.read_csv(v1.public / "sample_submission.csv"), tmp_path / "s.csv").score == 0.5
    nine = pd.read_csv(v2.private / "test.csv").drop(columns=unscored)
    assert v2.grade(nine, tmp_path / "s.csv").rejection["reason"] == "MissingColumns"


def test_the_sample_asks_for_what_is_scored(prepared: Callable[..., Any]) -> None:
    for version, labels in (("v1", LABELS[:-2]), ("v2", LABELS)):
        sample = pd.read_csv(prepared(ID, version=version).public / "sample_submission.csv")

        assert list(sample.columns) == ["StudyInstanceUID", *labels]
