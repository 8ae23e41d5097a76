"""The text normalization contests, one for each language: sentences split at random, and the share of right tokens."""

from __future__ import annotations

from csv import QUOTE_NONNUMERIC
from pathlib import Path

import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(
    lambda truth, said: accuracy_score(truth.astype(str), said.astype(str)), "id", "after", answers="answers.csv"
)


def prepare(raw: Path, public: Path, private: Path, *, language: str) -> None:
    table = read(raw / f"{language}_train.csv.zip")
    train_ids, test_ids = splitting.split(table["sentence_id"].unique())
    train, test = (renumbered(table[table["sentence_id"].isin(ids)]) for ids in (train_ids, test_ids))
    ids = test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str)
    answers = pd.DataFrame({"id": ids, "after": test["after"]})
    sample = pd.DataFrame({"id": ids, "after": test["before"]})
    splitting.write(private / "answers.csv", answers, quoting=QUOTE_NONNUMERIC)
    splitting.write(private / "sample_submission.csv", sample, quoting=QUOTE_NONNUMERIC)
    shown = {"train": train, "test_2": test[["sentence_id", "token_id", "before"]], "sample_submission_2": sample}
    for name, rows in shown.items():
        file = public / f"{language}_{name}.csv"
        splitting.write(file, rows, quoting=QUOTE_NONNUMERIC)
        splitting.pack(public / f"{file.name}.zip", file, compress=False)


def renumbered(rows: pd.DataFrame) -> pd.DataFrame:
    """Sentences counted from 0, in order of first appearance."""
    return rows.assign(sentence_id=pd.factorize(rows["sentence_id"])[0])
