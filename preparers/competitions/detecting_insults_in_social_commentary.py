"""Detecting Insults: comments as Kaggle split them, with the labels that it published after the contest.

v2 numbers the test rows in a column `Id` by which they are matched; in v1 the comment itself is the key.
"""

from preparers.toolkit import Dataset, disjoint, has_columns, promise

COLUMNS = ("Insult", "Date", "Comment")


def prepare(data: Dataset) -> None:
    train, solutions = data.raw.csv("train.csv"), data.raw.csv("test_with_solutions.csv")
    has_columns(train, *COLUMNS, name="train.csv")
    has_columns(solutions, *COLUMNS, "Usage", name="test_with_solutions.csv")
    disjoint(train, solutions, "Comment")

    data.public.copy("train.csv")
    if data.version == "v2":
        solutions = solutions.reset_index(names="Id")
        data.private.csv("test.csv", solutions)
    else:
        data.private.copy("test.csv", "test_with_solutions.csv")
    gold = solutions.drop(columns="Usage")
    data.private.csv("gold_submission.csv", gold)
    shown = gold.drop(columns="Insult")
    data.public.csv("test.csv", shown)
    promise(data.public.contents.csv("test.csv").equals(shown), "test.csv can't be read back as it was written.")
    data.public.csv("sample_submission_null.csv", gold.assign(Insult=0))
