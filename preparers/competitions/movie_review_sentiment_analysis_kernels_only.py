"""Movie Review Sentiment: phrases cut out of sentences, 30 % held back at random.

v1 splits phrases, so that those of a sentence are on both sides, and reads words such as `None` as missing. v2 splits
sentences and reads phrases as they stand.
"""

import csv

import pandas as pd

from preparers.toolkit import Dataset, has_columns, sample, split_groups, split_rows, unique

AS_THEY_STAND = {"keep_default_na": False, "quoting": csv.QUOTE_NONE}


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("train.tsv.zip")
    phrases = archive.tsv("train.tsv", **({} if data.version == "v1" else AS_THEY_STAND))
    has_columns(phrases, "PhraseId", "SentenceId", "Phrase", "Sentiment", name="train.tsv")
    unique(phrases, "PhraseId", name="train.tsv")
    if data.version == "v1":
        train, test = split_rows(phrases, test=0.3)
    else:
        train, test = split_groups(phrases, by="SentenceId", test=0.3, keys="seen", rows="split")

    _pack(data, "train.tsv", train)
    _pack(data, "test.tsv", test.drop(columns="Sentiment"))
    data.public.csv("sampleSubmission.csv", sample(test, "PhraseId", Sentiment=2))
    data.private.csv("answers.csv", test)


def _pack(data: Dataset, name: str, phrases: pd.DataFrame) -> None:
    data.scratch.csv(name, phrases, sep="\t")
    data.public.pack(f"{name}.zip", name, origin=data.scratch.contents)
