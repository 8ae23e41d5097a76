"""Facebook Recruiting III: tags of questions, one question in ten held back at random.

v1 splits a table in which very many questions stand twice, takes lone tags such as `null` for missing, and repeats all
texts in the sample. v2 drops questions of the same title and body before the split, keeping the first, reads tags and
texts as they stand, and has only ids and tags in the sample.

The bytes are those of the csv module of Python 3.11, which leaves a text with a lone carriage return without quotes;
later versions of Python quote it.
"""

from preparers.toolkit import Dataset, sample, split_rows

GUESS = "javascript c# python php java"


def prepare(data: Dataset) -> None:
    as_text = {"dtype": {"Id": str, "Tags": str}} if data.version == "v1" else {"dtype": str, "keep_default_na": False}
    questions = data.raw.unpack("Train.zip").csv("Train.csv", **as_text)
    if data.version == "v2":
        questions = questions.drop_duplicates(["Title", "Body"])
    train, test = split_rows(questions, test=0.1)
    shown = ("Id", "Title", "Body") if data.version == "v1" else ("Id",)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="Tags"))
    data.public.csv("sample_submission.csv", sample(test, *shown, Tags=GUESS))
    data.private.csv("test.csv", test)
