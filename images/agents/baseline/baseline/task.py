"""What is asked: read from the task's text, the sample and the answers, never from the competition's name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from baseline.metrics import ACCURACY, LOG_LOSS, RMSE, Matrix, Metric, find_metric
from baseline.pictures import Album, open_album
from baseline.roles import CannotSolve, Roles, columns_of_classes, find_roles, listed

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["classes", "flags", "values"]
"""One label among classes; several columns of yes or no; one or several numbers."""
Form = Literal["a probability for each class", "a probability", "a label", "a number"]
MOST_CLASSES = 300
"""With more, or with a class for every other row, labels are not classes to these models."""


@dataclass(frozen=True)
class Question:
    """What kind of prediction is asked for."""

    kind: Kind
    form: Form
    truth: Matrix
    """Answers of the training rows, as `metrics` wants them."""
    metric: Metric
    classes: tuple[object, ...] = ()
    """Values of the answer column by class number."""
    columns: tuple[str, ...] = ()
    """The submission's column of each class, where it has one for each."""


@dataclass(frozen=True)
class Task:
    """A task, understood."""

    roles: Roles
    question: Question
    album: Album

    def __str__(self) -> str:
        asked, truth = self.question, self.question.truth
        what = f"{len(asked.classes)} classes" if asked.kind == "classes" else f"{truth.shape[1]} {asked.kind}"
        return (
            f"{what} to learn from {len(truth):,} rows for {len(self.roles.sample):,}; hands in {asked.form} in "
            f"{listed(self.roles.targets)}; scored by {asked.metric}"
        )


def read_task(data: Path) -> Task:
    """Everything the agent needs to know, or `CannotSolve` with the reason."""
    album = open_album(data)
    roles = find_roles(data, album)
    return Task(roles, understand(roles, find_metric(_texts(data))), album)


def _texts(data: Path) -> str:
    files = [data / "description.md", data.parent / "instructions.txt"]
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file())


def understand(roles: Roles, metric: Metric | None) -> Question:
    """Decide from answers, sample and metric what kind of prediction is asked for."""
    if len(roles.answers) > 1:
        return _several_columns(_numbers(roles), roles.answers, metric)
    column = roles.train[roles.answers[0]]
    classes = _sorted_classes(column)
    if len(roles.targets) > 1:
        columns = tuple(columns_of_classes(list(classes), roles.targets))
        truth = _codes(column, classes)
        return Question(
            "classes", "a probability for each class", truth, _not_value(metric, LOG_LOSS), classes, columns
        )
    return _one_column(roles, column, classes, metric)


def _several_columns(truth: Matrix, answers: list[str], metric: Metric | None) -> Question:
    if not np.isin(truth, (0, 1)).all():
        return Question("values", "a number", truth, metric if metric and metric.wants == "value" else RMSE)
    metric = _not_value(metric, LOG_LOSS)
    if (truth.sum(axis=1) == 1).all():
        numbers = truth.argmax(axis=1)[:, None].astype(np.float64)
        return Question("classes", "a probability for each class", numbers, metric, tuple(answers), tuple(answers))
    return Question("flags", "a probability", truth, metric if metric.name != "macro F1" else LOG_LOSS)


def _one_column(roles: Roles, column: pd.Series, classes: tuple[object, ...], metric: Metric | None) -> Question:
    if metric.wants == "value" if metric else not _looks_like_classes(column, classes):
        return Question("values", "a number", _numbers(roles), metric or RMSE)
    sample = roles.sample[roles.targets[0]]
    wants_label = metric.wants == "label" if metric else len(classes) > 2 or bool(sample.isin(classes).all())
    if not wants_label and len(classes) > 2 and _is_share(column):
        column, classes = column >= 0.5, (False, True)
    if len(classes) > min(MOST_CLASSES, max(2, len(column) // 2)):
        raise CannotSolve(f"{roles.answers[0]} has {len(classes):,} different answers in {len(column):,} rows")
    if wants_label or len(classes) != 2:
        return Question("classes", "a label", _codes(column, classes), metric or ACCURACY, classes)
    classes = _positive_last(classes, roles.targets[0])
    return Question("classes", "a probability", _codes(column, classes), metric or LOG_LOSS, classes)


def _not_value(metric: Metric | None, default: Metric) -> Metric:
    return metric if metric is not None and metric.wants != "value" else default


def _numbers(roles: Roles) -> Matrix:
    try:
        numbers: Matrix = roles.train[roles.answers].to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CannotSolve(
            f"the metric wants numbers in {listed(roles.answers)}, and there are others: {error}"
        ) from error
    return numbers


def _sorted_classes(column: pd.Series) -> tuple[object, ...]:
    return tuple(sorted(column.unique().tolist(), key=lambda value: (isinstance(value, str), value)))


def _codes(column: pd.Series, classes: tuple[object, ...]) -> Matrix:
    numbers: Matrix = column.map({value: number for number, value in enumerate(classes)}).to_numpy(dtype=np.float64)
    return numbers[:, None]


def _looks_like_classes(column: pd.Series, classes: tuple[object, ...]) -> bool:
    """Words, or few different whole numbers."""
    if column.dtype.kind not in "iuf":
        return True
    return bool((column % 1 == 0).all()) and len(classes) <= min(50, max(2, len(column) // 10))


def _is_share(column: pd.Series) -> bool:
    return column.dtype.kind == "f" and bool(column.between(0, 1).all())


def _positive_last(classes: tuple[object, ...], target: str) -> tuple[object, ...]:
    """Two classes with the one whose probability is asked for at the end."""
    words = {target.lower(), "1", "1.0", "true", "yes", "y", "positive", "pos"}
    first, last = classes
    return (last, first) if str(first).lower() in words and str(last).lower() not in words else classes
