"""Hindi and Tamil questions: rows split at random; the mean Jaccard score of two sets of words."""

from pathlib import Path

from benchmarks.competitions.obvious.cells import jaccard
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import split, write
from benchmarks.competitions.obvious.tables import cell_by_cell

grade = cell_by_cell(jaccard, "id", "PredictionString", blank="")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"))
    answers = test[["id", "answer_text"]].rename(columns={"answer_text": "PredictionString"})
    write(public / "train.csv", train)
    write(public / "test.csv", test.drop(columns=["answer_start", "answer_text"]))
    write(private / "test.csv", answers)
    write(public / "sample_submission.csv", answers.assign(PredictionString="dummy text"))
