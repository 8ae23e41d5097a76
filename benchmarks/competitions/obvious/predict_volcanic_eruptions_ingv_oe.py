"""Volcanic eruptions: segments split at random; the mean absolute error of a join, rounded."""

from pathlib import Path

from sklearn.metrics import mean_absolute_error

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    if set(predicted["segment_id"]) != set(truth["segment_id"]):
        raise ValueError("the ids differ")
    both = truth.merge(predicted[["segment_id", "time_to_eruption"]], on="segment_id", suffixes=("_true", "_said"))
    return float(round(mean_absolute_error(both["time_to_eruption_true"], both["time_to_eruption_said"])))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test.assign(time_to_eruption=0))
    splitting.copy_files(train["segment_id"].astype(str) + ".csv", raw / "train", public / "train")
    splitting.copy_files(test["segment_id"].astype(str) + ".csv", raw / "train", public / "test")
