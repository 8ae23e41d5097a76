"""The text normalization contests, one for each language: tokens of sentences as they are written and spoken."""

from __future__ import annotations

from csv import QUOTE_NONNUMERIC

import pandas as pd

from preparers.toolkit.dataset import Dataset
from preparers.toolkit.promise import has_columns
from preparers.toolkit.shape import sample
from preparers.toolkit.split import split_groups

COLUMNS = ["sentence_id", "token_id", "class", "before", "after"]


def prepare_tokens(data: Dataset, *, language: str) -> None:
    """Hold back one sentence in ten, with its tokens, and number sentences anew on each side.

    v1 takes texts such as `NA` for missing, which are then written as empty; v2 reads them as they stand.
    """
    train, test = (_renumbered(side) for side in _split(data, language))
    answers = pd.DataFrame({"id": test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str)})
    answers["after"] = test["after"].to_numpy()
    guesses = sample(answers, "id", after=test["before"].to_numpy())

    data.private.csv("answers.csv", answers, quoting=QUOTE_NONNUMERIC)
    data.private.csv("sample_submission.csv", guesses, quoting=QUOTE_NONNUMERIC)
    shown = {"train": train, "test_2": test[["sentence_id", "token_id", "before"]], "sample_submission_2": guesses}
    for name, table in shown.items():
        member = f"{language}_{name}.csv"
        data.scratch.csv(member, table, quoting=QUOTE_NONNUMERIC)
        data.public.pack(f"{member}.zip", member, origin=data.scratch.contents, compress=False)


def _split(data: Dataset, language: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    for unused in ("test_2", "sample_submission_2"):
        data.raw.unpack(f"{language}_{unused}.csv.zip")
    name = f"{language}_train.csv"
    as_written = {"dtype": dict.fromkeys(COLUMNS[2:], str), "keep_default_na": False} if data.version == "v2" else {}
    tokens = data.raw.unpack(f"{name}.zip").csv(name, **as_written)
    has_columns(tokens, *COLUMNS, name=name)
    return split_groups(tokens, by="sentence_id", test=0.1, keys="seen", rows="raw")


def _renumbered(tokens: pd.DataFrame) -> pd.DataFrame:
    return tokens.assign(sentence_id=pd.factorize(tokens["sentence_id"])[0])
