"""Natural questions: lines split at random, a thousand at a time; right answers row by row, and scikit-learn's F1."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.metrics import f1_score

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read

SHOWN = ["example_id", "question_text", "document_text", "long_answer_candidates"]


def grade(submission: Path, private: Path) -> float:
    right: dict[str, set[str]] = {}
    with (private / "test.jsonl").open() as file:
        for line in file:
            document = json.loads(line)
            (found,) = document["annotations"]
            spans = [span(one) for one in found["short_answers"]]
            right[f"{document['example_id']}_short"] = {*spans, found["yes_no_answer"]} - {"NONE"}
            right[f"{document['example_id']}_long"] = {span(found["long_answer"])} - {"-1:-1"}
    predicted = read(submission)
    if set(predicted["example_id"]) != set(right):
        raise ValueError("the ids differ")
    true, said = [], []
    for name, text in zip(predicted["example_id"], predicted["PredictionString"].fillna(""), strict=True):
        guess = text.strip()
        if guess.count(":") == 1:
            start, end = guess.split(":")
            guess = f"{int(start)}:{int(end)}"
        said.append(int(guess != ""))
        true.append(int(guess in right[name] if guess else bool(right[name])))
    return float(f1_score(true, said, average="micro"))


def span(one: dict[str, int]) -> str:
    return f"{one['start_token']}:{one['end_token']}"


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    private.mkdir(parents=True)
    gold = []
    with (
        (raw / "simplified-nq-train.jsonl").open() as file,
        (public / "simplified-nq-train.jsonl").open("w") as for_train,
        (public / "simplified-nq-test.jsonl").open("w") as for_test,
        (private / "test.jsonl").open("w") as answers,
    ):
        while lines := list(islice(file, 1000)):
            documents = [json.loads(line) for line in lines]
            train, test = splitting.split([one | {"example_id": str(one["example_id"])} for one in documents])
            for document in train:
                for_train.write(as_line(document))
            for document in test:
                answers.write(as_line(document))
                for_test.write(as_line({name: document[name] for name in SHOWN}))
                short, long = best_answers(document["annotations"][0])
                gold += [(f"{document['example_id']}_short", short), (f"{document['example_id']}_long", long)]
    table = pd.DataFrame(gold, columns=["example_id", "PredictionString"])
    splitting.write(private / "gold_submission.csv", table)
    splitting.write(public / "sample_submission.csv", table.assign(PredictionString=""))


def as_line(document: dict[str, Any]) -> str:
    text = json.dumps(document, separators=(",", ":"))
    return text.replace("/", "\\/").replace("\\u007f", "\x7f") + "\n"


def best_answers(found: dict[str, Any]) -> tuple[str, str]:
    short = span(found["short_answers"][0]) if found["short_answers"] else ""
    if found["yes_no_answer"] != "NONE":
        short = found["yes_no_answer"]
    return short, span(found["long_answer"]) if found["long_answer"]["start_token"] != -1 else ""
