"""Patent phrases: pairs split at random; scipy's Pearson correlation."""

from pathlib import Path

from scipy.stats import pearsonr

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(lambda truth, predicted: pearsonr(truth, predicted)[0], "id", "score")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns="score"))
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(score=0))
