"""facebook-recruiting-iii: v2 has no question twice, keeps tags such as null, and every predicted tag counts."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import preparers

ID = "facebook-recruiting-iii-keyword-extraction"
AS_WRITTEN = {"dtype": str, "keep_default_na": False}


def shared_questions(folder: Path) -> int:
    """Test questions that stand in train, word for word."""
    train, test = (pd.read_csv(folder / "public" / f"{part}.csv", **AS_WRITTEN) for part in ("train", "test"))
    return len(test.merge(train, on=["Title", "Body"]))


def test_v1_answers_test_questions_in_train_and_v2_has_no_question_twice(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    with zipfile.ZipFile(prepared(ID).raw / "Train.zip") as archive, archive.open("Train.csv") as file:
        questions = pd.read_csv(file, **AS_WRITTEN)
    again = questions.assign(Id=(questions["Id"].astype(int) + len(questions)).astype(str))
    raw = tmp_path / "raw"
    raw.mkdir()
    with zipfile.ZipFile(raw / "Train.zip", "w") as archive:
        archive.writestr("Train.csv", pd.concat([questions, again]).to_csv(index=False))
    for version in ("v1", "v2"):
        folder = tmp_path / version
        preparers.prepare(ID, raw, folder / "public", folder / "private", version)

    assert shared_questions(tmp_path / "v1") > 50
    assert shared_questions(tmp_path / "v2") == 0
    parts = [pd.read_csv(tmp_path / f"v2/public/{part}.csv", **AS_WRITTEN)["Id"] for part in ("train", "test")]
    assert pd.concat(parts).astype(int).max() <= len(questions), "the first of two is kept"


def test_lone_tags_such_as_null_are_lost_in_v1_and_kept_in_v2(prepared: Callable[..., Any]) -> None:
    def tags(made: Any) -> pd.Series:
        return pd.read_csv(made.public / "train.csv", **AS_WRITTEN)["Tags"]

    assert not tags(prepared(ID)).isin(["nan", "null"]).any()
    assert tags(prepared(ID, version="v2")).isin(["nan", "null"]).any()


def test_the_sample_of_v2_has_ids_and_tags_only(prepared: Callable[..., Any]) -> None:
    v2 = prepared(ID, version="v2")

    assert list(pd.read_csv(v2.public / "sample_submission.csv").columns) == ["Id", "Tags"]


def test_made_up_tags_are_free_in_v1_and_cost_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    for version, cost in (("v1", 0), ("v2", 0.3)):
        made = prepared(ID, version=version)
        truth = pd.read_csv(made.private / "test.csv", **AS_WRITTEN)[["Id", "Tags"]]
        padded = truth.assign(Tags=truth["Tags"] + " no-such-tag zzz Python qqq")

        scores = [made.grade(frame, tmp_path / "s.csv").score for frame in (truth, padded)]
        assert scores[0] == 1
        assert 1 - scores[1] >= cost
        assert (scores[1] == 1) == (cost == 0)


def test_v2_is_the_mean_over_questions(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    truth = pd.read_csv(v2.private / "test.csv", **AS_WRITTEN)[["Id", "Tags"]]
    some = truth.assign(Tags=truth["Tags"].where(truth.index % 5 > 0, ""))

    assert v2.grade(some, tmp_path / "s.csv").score == pytest.approx(0.8, abs=1e-5)
