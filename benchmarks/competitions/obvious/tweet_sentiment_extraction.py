"""Tweets: rows split at random; the Jaccard similarity of two sets of words, row by row."""

from pathlib import Path

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.cells import jaccard
from benchmarks.competitions.obvious.reading import read


def similarity(true: object, said: object) -> float:
    return jaccard(*("" if text != text else str(text) for text in (true, said)))


grade = tables.cell_by_cell(similarity, "textID", "selected_text")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns="selected_text"))
    splitting.write(public / "sample_submission.csv", test[["textID"]].assign(selected_text=""))
