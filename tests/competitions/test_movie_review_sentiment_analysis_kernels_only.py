"""movie-review-sentiment-analysis-kernels-only: v2 splits sentences, loses no word, and takes labels from 0 to 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

ID = "movie-review-sentiment-analysis-kernels-only"
AS_TEXT = {"sep": "\t", "dtype": str, "keep_default_na": False}


def phrases(made: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    train, test = (pd.read_csv(made.public / f"{part}.tsv.zip", **AS_TEXT) for part in ("train", "test"))
    return train, test


def test_sentences_are_on_both_sides_in_v1_and_on_one_in_v2(prepared: Callable[..., Any]) -> None:
    train, test = phrases(prepared(ID))
    assert set(train["SentenceId"]) & set(test["SentenceId"])

    train, test = phrases(prepared(ID, version="v2"))
    assert len(test)
    assert not set(train["SentenceId"]) & set(test["SentenceId"])


@pytest.mark.parametrize("word", ["NA", "null", "None", "nan", '"a quoted phrase"', '"tab\tinside quotes"'])
def test_phrases_are_lost_or_stripped_in_v1_and_kept_in_v2(word: str, prepared: Callable[..., Any]) -> None:
    assert word not in set(pd.concat(phrases(prepared(ID)))["Phrase"])
    assert word in set(pd.concat(phrases(prepared(ID, version="v2")))["Phrase"])


@pytest.mark.parametrize("name", ["quirk_unknown_labels", "quirk_words", "quirk_one_word"])
def test_what_is_no_sentiment_is_wrong_in_v1_and_rejected_in_v2(name: str, prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.report(name).rejection["reason"] == "UnknownLabels"
    assert v2.report("quirk_whole_floats").score > 0.5
