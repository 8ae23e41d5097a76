"""TensorFlow 2.0 Question Answering: questions to articles; of each thousand lines a tenth is held back at random.

The file is many times larger than memory, so it is read and written in chunks of a thousand lines, and lines are taken
apart one by one. v2 is the same.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

import pandas as pd

from preparers.toolkit import Dataset, sample, split_items

CHUNK = 1000
NAME = "simplified-nq-{}.jsonl"
SHOWN = ("example_id", "question_text", "document_text", "long_answer_candidates")

Question = dict[str, Any]


def prepare(data: Dataset) -> None:
    ids: list[str] = []
    gold: list[str] = []
    with ExitStack() as files:
        paths = (
            data.public.path(NAME.format("train")),
            data.private.path("test.jsonl"),
            data.public.path(NAME.format("test")),
        )
        train, answers, test = (files.enter_context(path.open("w", encoding="utf-8", newline="")) for path in paths)
        for kept, held_back in _split(data):
            train.writelines(_as_line(_question(line)) for line in kept)
            for line in held_back:
                question = _question(line)
                answers.write(_as_line(question))
                test.write(_as_line({key: question[key] for key in SHOWN}))
                ids += [f"{question['example_id']}_{kind}" for kind in ("short", "long")]
                gold += _right_answers(question)

    table = pd.DataFrame({"example_id": ids, "PredictionString": gold})
    data.private.csv("gold_submission.csv", table)
    data.public.csv("sample_submission.csv", sample(table, "example_id", PredictionString=""))


def _split(data: Dataset) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """The lines of each chunk, those kept and those held back."""
    with data.raw.open(NAME.format("train")) as lines:
        while chunk := list(islice(lines, CHUNK)):
            yield split_items(chunk, test=0.1)


def _question(line: bytes) -> Question:
    question: Question = json.loads(line)
    return {**question, "example_id": str(question["example_id"])}


def _as_line(question: Question) -> str:
    """JSON as pandas writes it: slashes escaped, and the character 0x7f as itself."""
    line = json.dumps(question, separators=(",", ":")).replace("/", r"\/")
    if r"\\u007f" not in line:
        line = line.replace(r"\u007f", "\x7f")
    else:  # a backslash may stand before it that is itself escaped
        line = re.sub(r"\\(\\|u007f)", lambda escape: "\x7f" if escape[1] == "u007f" else escape[0], line)
    return line + "\n"


def _right_answers(question: Question) -> list[str]:
    """The gold predictions: the short answer, or the first of several, and the long one."""
    annotation = question["annotations"][0]
    spans = [_span(answer) for answer in annotation["short_answers"]]
    yes_or_no = annotation["yes_no_answer"]
    short = yes_or_no if yes_or_no != "NONE" else spans[0] if spans else ""
    long = annotation["long_answer"]
    return [short, _span(long) if long["start_token"] != -1 else ""]


def _span(answer: dict[str, int]) -> str:
    return f"{answer['start_token']}:{answer['end_token']}"
