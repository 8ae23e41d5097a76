"""tensorflow2-question-answering: v2 scores the F1 of the task, to which an empty file contributes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import preparers

ID = "tensorflow2-question-answering"


def test_an_empty_file_scores_one_half_in_v1_and_nothing_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    empty = pd.read_csv(v1.public / "sample_submission.csv")

    assert v1.grade(empty, tmp_path / "s.csv").score > 0.4
    assert v2.grade(empty, tmp_path / "s.csv").score == 0


def test_answers_where_none_is_due_and_answers_missed_cost_alike_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v2 = prepared(ID, version="v2")
    gold = pd.read_csv(v2.private / "gold_submission.csv", keep_default_na=False)
    due = gold["PredictionString"] != ""
    made_up = gold.assign(PredictionString=gold["PredictionString"].where(due, "0:0"))
    half = gold.assign(PredictionString=gold["PredictionString"].where(gold.index % 2 == 0, ""))
    right = (half["PredictionString"] != "").sum()

    assert v2.grade(gold, tmp_path / "s.csv").score == 1
    assert v2.grade(made_up, tmp_path / "s.csv").score == pytest.approx(
        2 * due.sum() / (due.sum() + len(gold)), abs=1e-5
    )
    assert v2.grade(half, tmp_path / "s.csv").score == pytest.approx(2 * right / (right + due.sum()), abs=1e-5)


@pytest.mark.parametrize("text", ["a\x7fb", r"\u007f", "\\\x7f", r"\\u007f" + "\x7f", "a/b\\"])
def test_lines_are_those_of_pandas(text: str, tmp_path: Path) -> None:
    none = {"yes_no_answer": "NONE", "long_answer": {"start_token": -1, "end_token": -1}, "short_answers": []}
    question = {"document_text": text, "long_answer_candidates": [], "question_text": "?", "annotations": [none]}
    (tmp_path / "raw").mkdir()
    with (tmp_path / "raw/simplified-nq-train.jsonl").open("w") as file:
        file.writelines(json.dumps(question | {"example_id": place}) + "\n" for place in range(20))
    preparers.prepare(ID, tmp_path / "raw", tmp_path / "public", tmp_path / "private")

    lines = (tmp_path / "private/test.jsonl").read_text().splitlines()
    kept = [json.loads(line) for line in lines]
    assert [one["document_text"] for one in kept] == [text] * 2
    assert "\n".join(lines) == pd.DataFrame(kept).to_json(orient="records", lines=True).rstrip("\n")
