"""Movie Review Sentiment: phrases cut out of sentences, 30 % held back at random.

v1 splits phrases, so that those of a sentence are on both sides, takes quotes for CSV's and words such as `None` for
missing. v2 splits sentences and reads phrases as they stand.
"""

import pandas as pd

from preparers.toolkit import Dataset, Origin, has_columns, promise, sample, split_groups, split_rows, unique

COLUMNS = ("PhraseId", "SentenceId", "Phrase", "Sentiment")
LINE = r"^(\d+)\t(\d+)\t(.*)\t(\d+)$"


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("train.tsv.zip")
    phrases = archive.tsv("train.tsv") if data.version == "v1" else _as_they_stand(archive)
    has_columns(phrases, *COLUMNS, name="train.tsv")
    unique(phrases, "PhraseId", name="train.tsv")
    if data.version == "v1":
        train, test = split_rows(phrases, test=0.3)
    else:
        train, test = split_groups(phrases, by="SentenceId", test=0.3, keys="seen", rows="split")

    _pack(data, "train.tsv", train)
    _pack(data, "test.tsv", test.drop(columns="Sentiment"))
    data.public.csv("sampleSubmission.csv", sample(test, "PhraseId", Sentiment=2))
    data.private.csv("answers.csv", test)


def _as_they_stand(archive: Origin) -> pd.DataFrame:
    """v2: a phrase is all that stands between the second tab of a line and its last."""
    header, *lines = archive.text("train.tsv").removesuffix("\n").split("\n")
    fields = pd.Series(lines, dtype=object).str.extract(LINE)
    strange = fields[0].isna().sum()
    promise(not strange, f"{strange:,} lines of train.tsv are not two numbers, a phrase and a number.")
    numbers = dict.fromkeys((0, 1, 3), int)
    return fields.astype(numbers).set_axis(header.split("\t"), axis=1)


def _pack(data: Dataset, name: str, phrases: pd.DataFrame) -> None:
    data.scratch.csv(name, phrases, sep="\t")
    data.public.pack(f"{name}.zip", name, origin=data.scratch.contents)
