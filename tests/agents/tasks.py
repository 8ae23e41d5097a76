"""Small tasks as an agent finds them: a data folder in the layout of prepared competitions, and the answers apart.

Each is learnable, so that an agent that understood it beats the sample submission by far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, roc_auc_score

Score = Callable[[pd.DataFrame, pd.DataFrame], float]


@dataclass(frozen=True)
class Task:
    """A written task: what the agent sees, and how the test scores what it hands in (higher is better)."""

    data: Path
    answers: pd.DataFrame
    score: Score

    @property
    def sample(self) -> pd.DataFrame:
        return pd.read_csv(self.data / "sample_submission.csv")

    def score_of(self, submission: pd.DataFrame) -> float:
        """The score; fails if the submission has other rows or columns than the sample, or gaps."""
        assert list(submission.columns) == list(self.sample.columns)
        assert submission["id"].tolist() == self.sample["id"].tolist()
        assert not submission.isna().any().any()
        return self.score(self.answers, submission)


def write(
    data: Path,
    metric: str,
    train: pd.DataFrame,
    test: pd.DataFrame,
    sample: dict[str, object],
    truth: list[str],
    score: Score,
) -> Task:
    """Lay a task out in a folder: train.csv, test.csv, sample_submission.csv, description.md."""
    data.mkdir(parents=True)
    train.to_csv(data / "train.csv", index=False)
    test.drop(columns=truth).to_csv(data / "test.csv", index=False)
    test[["id"]].assign(**sample).to_csv(data / "sample_submission.csv", index=False)
    (data / "description.md").write_text(f"# A task\n\nPredict it.\n\n## Evaluation\n{metric}\n\n## Data\nTables.\n")
    return Task(data, test[["id", *truth]].reset_index(drop=True), score)


def _points(rows: int, columns: int, seed: int = 0) -> tuple[np.random.Generator, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, columns)), columns=[f"x{k}" for k in range(columns)])
    frame.insert(0, "id", np.arange(rows) + 1_000)
    return rng, frame


def binary(data: Path, rows: int = 200) -> Task:
    """A probability in one column, scored by ROC AUC."""
    rng, frame = _points(rows, 6)
    frame["sick"] = (frame.x0 + frame.x1 + 0.3 * rng.normal(size=rows) > 0).astype(int)
    metric = "Area under the ROC curve, higher is better."
    cut = rows * 3 // 4
    return write(
        data, metric, frame[:cut], frame[cut:], {"sick": 0.5}, ["sick"], lambda a, s: roc_auc_score(a.sick, s.sick)
    )


def multi_class(data: Path) -> Task:
    """A probability for each class in columns of their names, scored by log loss."""
    rng, frame = _points(240, 5)
    names = np.array(["apple", "cherry", "plum"])
    frame["kind"] = names[np.argmax(frame[["x0", "x1", "x2"]] + 0.2 * rng.normal(size=(240, 3)), axis=1)]
    sample = dict.fromkeys(["plum", "apple", "cherry"], 1 / 3)

    def score(answers: pd.DataFrame, submission: pd.DataFrame) -> float:
        assert np.allclose(submission[names].sum(axis=1), 1, atol=1e-9)
        return -float(log_loss(answers.kind, submission[names], labels=names))

    return write(data, "Multi-class log loss, lower is better.", frame[:180], frame[180:], sample, ["kind"], score)


def regression(data: Path) -> Task:
    """A number, scored by RMSE; columns with gaps, categories and dates."""
    rng, frame = _points(260, 3)
    frame["size"] = rng.choice(["small", "large"], size=260)
    frame["day"] = pd.date_range("2020-01-01", periods=260).strftime("%Y-%m-%d")
    frame["price"] = 100 + 10 * frame.x0 + 20 * (frame["size"] == "large") + rng.normal(size=260)
    frame.loc[::7, "x0"] = np.nan
    frame.loc[::11, "size"] = None

    def score(answers: pd.DataFrame, submission: pd.DataFrame) -> float:
        return -float(np.sqrt(mean_squared_error(answers.price, submission.price)))

    shuffled = frame.sample(frac=1, random_state=1)
    metric = "Root mean squared error (RMSE), lower is better."
    return write(data, metric, shuffled[:200], shuffled[200:], {"price": 100.0}, ["price"], score)


def images(data: Path) -> Task:
    """PNG pictures in train/ and test/, a label for each, scored by accuracy."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, size=160)
    frame = pd.DataFrame({"id": [f"p{k:03d}" for k in range(160)], "label": labels})
    task = write(
        data,
        "Accuracy: the share of pictures whose label is right; higher is better.",
        frame[:120],
        frame[120:],
        {"label": 0},
        ["label"],
        lambda a, s: float(accuracy_score(a.label, s.label)),
    )
    for part, rows in (("train", range(120)), ("test", range(120, 160))):
        (data / part).mkdir()
        for row in rows:
            pixels = rng.integers(0, 60, size=(12, 12), dtype=np.uint8)
            down, right = divmod(int(labels[row]), 2)
            pixels[down * 6 : down * 6 + 6, right * 6 : right * 6 + 6] += 150
            Image.fromarray(pixels).save(data / part / f"{frame.id[row]}.png")
    return task


def text(data: Path) -> Task:
    """Sentences, a label in words, scored by accuracy."""
    rng = np.random.default_rng(0)
    words = {"sea": ["ship", "wave", "salt", "harbour", "sail"], "wood": ["tree", "leaf", "moss", "bark", "root"]}
    common = ["the", "a", "of", "and", "over", "under", "near", "with", "slow", "old", "new", "far"]
    labels = rng.choice(list(words), size=240)
    sentences = [" ".join([*rng.choice(common, 7), *rng.choice(words[label], 2)]) for label in labels]
    frame = pd.DataFrame({"id": [f"s{k}" for k in range(240)], "sentence": sentences, "place": labels})
    return write(
        data,
        "Accuracy, higher is better.",
        frame[:180],
        frame[180:],
        {"place": "sea"},
        ["place"],
        lambda a, s: float(accuracy_score(a.place, s.place)),
    )


def flags(data: Path) -> Task:
    """Several columns of yes or no at once, scored by the mean ROC AUC of the columns."""
    rng, frame = _points(240, 4)
    frame["round"] = (frame.x0 + 0.3 * rng.normal(size=240) > 0).astype(int)
    frame["red"] = (frame.x1 - frame.x2 + 0.3 * rng.normal(size=240) > 0.5).astype(int)
    both = ["round", "red"]
    metric = "The mean of the areas under the ROC curve (AUC) of the two columns; higher is better."
    score: Score = lambda a, s: float(roc_auc_score(a[both], s[both]))  # noqa: E731
    return write(data, metric, frame[:180], frame[180:], dict.fromkeys(both, 0.5), both, score)


KINDS = [binary, multi_class, regression, images, text, flags]
