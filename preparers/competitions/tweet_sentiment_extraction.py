"""Tweet Sentiment Extraction: which part of a tweet carries its sentiment, one tweet in ten held back at random.

v1 takes texts such as `nan` or `null` for missing and loses them; v2 keeps them.
"""

from preparers.toolkit import Dataset, sample, split_rows


def prepare(data: Dataset) -> None:
    as_written = {"dtype": str, "keep_default_na": False} if data.version == "v2" else {}
    train, test = split_rows(data.raw.csv("train.csv", **as_written), test=0.1)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="selected_text"))
    data.public.csv("sample_submission.csv", sample(test, "textID", selected_text=""))
    data.private.csv("test.csv", test)
