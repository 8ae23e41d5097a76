"""Movie reviews: phrases split at random, and the share of right ones."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(accuracy_score, "PhraseId", "Sentiment", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(pd.read_csv(raw / "train.tsv.zip", sep="\t"), test_size=0.3)
    splitting.write(private / "answers.csv", test)
    splitting.write(public / "sampleSubmission.csv", test[["PhraseId"]].assign(Sentiment=2))
    for name, rows in (("train.tsv", train), ("test.tsv", test.drop(columns="Sentiment"))):
        splitting.write(public / name, rows, sep="\t")
        splitting.pack(public / f"{name}.zip", public / name)
