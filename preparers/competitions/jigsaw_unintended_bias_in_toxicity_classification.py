"""Jigsaw Unintended Bias: comments as Kaggle split them, with the labels that it published after the contest.

v1 turns comments that spell a missing value, such as `NA`, into empty fields; v2 keeps them as they are.
"""

from preparers.toolkit import Dataset, promise, sample

COLUMNS = 45


def prepare(data: Dataset) -> None:
    found = data.raw.csv("test_private_expanded.csv", nrows=0).shape[1]
    promise(found == COLUMNS, f"test_private_expanded.csv has {found} columns; expected {COLUMNS}.")
    as_text = {"dtype": {"comment_text": str}, "keep_default_na": False} if data.version == "v2" else {}
    shown = ["id", "comment_text"]
    test = data.raw.csv("test_private_expanded.csv", usecols=shown, **as_text)[shown]

    data.public.copy("train.csv")
    data.public.csv("test.csv", test)
    data.public.csv("sample_submission.csv", sample(test, "id", prediction=0.0))
    data.private.copy("test.csv", "test_private_expanded.csv")
