"""billion-word-imputation: in v2 an empty sentence is an empty text, and NA is a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "billion-word-imputation"


@pytest.mark.parametrize("name, sentence", [("bad_empty_sentence", ""), ("bad_na_is_empty", "NA")])
def test_v1_rejects_a_sentence_that_pandas_takes_for_missing_and_v2_scores_it(
    prepared: Callable[..., Any], tmp_path: Path, name: str, sentence: str
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    submission = v1.submissions()[name]
    with_letter = submission.assign(sentence=submission["sentence"].where(submission["sentence"] != sentence, "~"))

    assert v1.grade(submission, tmp_path / "s.csv").rejection["reason"] == "MissingValues"
    report, almost = v2.grade(submission, tmp_path / "s.csv"), v2.grade(with_letter, tmp_path / "s.csv")
    assert report.score == pytest.approx(almost.score, abs=2 / len(submission))


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    guess = v1.submissions()["guess"]

    assert v1.grade(guess, tmp_path / "s.csv").score == v2.grade(guess, tmp_path / "s.csv").score
