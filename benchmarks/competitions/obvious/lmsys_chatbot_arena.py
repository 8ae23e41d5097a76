"""Chatbot arena: rows split at random; log loss."""

from pathlib import Path

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import split, write
from benchmarks.competitions.obvious.tables import class_probabilities

WINNERS = ["winner_model_a", "winner_model_b", "winner_tie"]

grade = class_probabilities("id", WINNERS, answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"))
    write(public / "train.csv", train)
    write(private / "answers.csv", test)
    write(public / "test.csv", test[["id", "prompt", "response_a", "response_b"]])
    write(public / "sample_submission.csv", test[["id"]].assign(**dict.fromkeys(WINNERS, 1 / 3)))
