"""text-normalization-challenge, both languages: v2 keeps tokens such as NA, which v1 takes for missing."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

LANGUAGES = {
    "text-normalization-challenge-english-language": "en",
    "text-normalization-challenge-russian-language": "ru",
}
AS_WRITTEN = {"dtype": str, "keep_default_na": False}

each_language = pytest.mark.parametrize("competition_id", LANGUAGES)


def table(archive: Path) -> pd.DataFrame:
    with zipfile.ZipFile(archive) as packed, packed.open(archive.name.removesuffix(".zip")) as file:
        return pd.read_csv(file, **AS_WRITTEN)


@each_language
def test_v1_loses_tokens_that_look_like_missing_values_and_v2_keeps_them(
    competition_id: str, prepared: Callable[..., Any]
) -> None:
    def count(made: Any, folder: Path) -> int:
        language = LANGUAGES[competition_id]
        names = [f"{language}_train.csv.zip"] + ([f"{language}_test_2.csv.zip"] if folder == made.public else [])
        return sum(int(table(folder / name)["before"].isin(["NA", "null"]).sum()) for name in names)

    v1, v2 = prepared(competition_id), prepared(competition_id, version="v2")
    assert count(v1, v1.public) == 0
    assert count(v2, v2.public) == count(v2, v2.raw) > 0


@each_language
def test_any_missing_word_is_right_for_such_a_token_in_v1_and_only_the_token_in_v2(
    competition_id: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(competition_id), prepared(competition_id, version="v2")
    truth = pd.read_csv(v2.private / "answers.csv", **AS_WRITTEN)
    is_lost = truth["after"].isin(["NA", "null", "nan", "None"])
    other = truth.assign(after=truth["after"].where(~is_lost, "N/A"))

    assert v1.grade(other, tmp_path / "s.csv").score == 1
    assert v2.grade(other, tmp_path / "s.csv").score == pytest.approx(1 - is_lost.mean(), abs=1e-5)
    assert v2.grade(truth, tmp_path / "s.csv").score == 1
