"""LMSYS Chatbot Arena: which of two answers people preferred, one row in ten held back at random. v2 is the same."""

from preparers.toolkit import Dataset, sample, split_rows

CLASSES = ("winner_model_a", "winner_model_b", "winner_tie")


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test[["id", "prompt", "response_a", "response_b"]])
    data.public.csv("sample_submission.csv", sample(test, "id", **dict.fromkeys(CLASSES, 1 / 3)))
    data.private.csv("answers.csv", test)
