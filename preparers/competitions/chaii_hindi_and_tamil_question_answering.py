"""Hindi and Tamil Question Answering: answers to be found in articles, one question in ten held back at random.

v2 is the same.
"""

from preparers.toolkit import Dataset, sample, split_rows


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train.csv"), test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns=["answer_start", "answer_text"]))
    data.public.csv("sample_submission.csv", sample(test, "id", PredictionString="dummy text"))
    data.private.csv("test.csv", sample(test, "id", PredictionString=test["answer_text"]))
