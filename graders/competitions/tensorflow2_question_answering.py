"""TensorFlow 2.0 Question Answering: long and short answers to questions, as spans of tokens or YES and NO.

v1 counts the rows that are right, rightly empty ones included, so that an empty file scores about one half. v2 is the
F1 of the task: predictions that are right, against those that are wrong and answers that were missed.
"""

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pandas as pd

from graders.toolkit import Entry, must_have, must_parse, pair

ID, TARGET = "example_id", "PredictionString"
FORM = "'start:end' in whole numbers, YES, NO, or nothing"

Answer: TypeAlias = tuple[int, int] | str


def score(entry: Entry) -> float:
    must_have(entry.submission, ID, TARGET)
    answers = dict(_right_answers(entry))
    predicted, truth = pair(entry.submission, pd.DataFrame({ID: list(answers)}), on=ID)
    predictions = must_parse(predicted[TARGET], _parse, expected=FORM)
    rows = list(zip(predictions, (answers[row] for row in truth[ID]), strict=True))
    right = sum(said in true for said, true in rows if said is not None)
    rightly_empty = sum(not true for said, true in rows if said is None)
    if entry.version == "v1":
        if not any(predictions):
            entry.warn("Nothing is predicted: v1 counts every row without an answer as a hit.")
        return (right + rightly_empty) / len(rows)
    wrong_or_missed = len(rows) - right - rightly_empty
    return 2 * right / (2 * right + wrong_or_missed) if right else 0.0


def _parse(cell: Any) -> Answer | None:
    text = cell.strip() if isinstance(cell, str) else "" if pd.isna(cell) else str(cell)
    if text.count(":") == 1:
        start, _, end = text.partition(":")
        return int(start), int(end)
    if text not in ("YES", "NO", ""):
        raise ValueError(f"a prediction is {FORM}")
    return text or None


def _right_answers(entry: Entry) -> Iterator[tuple[str, set[Answer]]]:
    """The right answers of each row by its id."""
    with entry.private.path(entry.competition.answers).open("rb") as lines:
        for line in lines:
            question = _without_texts(line)
            name, annotation = question["example_id"], question["annotations"][0]
            long = _span(annotation["long_answer"])
            yield f"{name}_long", {long} if long[0] != -1 else set()
            yes_or_no = {annotation["yes_no_answer"]} - {"NONE"}
            yield f"{name}_short", {*map(_span, annotation["short_answers"]), *yes_or_no}


def _without_texts(line: bytes) -> dict[str, Any]:
    """The annotations and the id, which follow an article of tens of kilobytes that need not be read.

    Quotes within texts are escaped, so these bytes can only be the key itself.
    """
    question: dict[str, Any] = json.loads(b"{" + line[line.index(b'"annotations":') :])
    return question if "example_id" in question else json.loads(line)


def _span(answer: dict[str, int]) -> tuple[int, int]:
    return answer["start_token"], answer["end_token"]
