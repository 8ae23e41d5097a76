"""A weighted mean of models; its weights are found greedily on predictions of rows that the models had not seen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from baseline.folds import Prediction
from baseline.metrics import Matrix
from baseline.task import Question

ROUNDS = 12


def blend(question: Question, predictions: Mapping[str, Prediction]) -> tuple[Prediction, dict[str, int]]:
    """The best mean found and how often each model is in it. Models are added one by one, repeats allowed."""
    chosen: dict[str, int] = {}
    best: tuple[float, dict[str, int]] | None = None
    for _ in range(ROUNDS):
        scores = {name: _score_with(question, predictions, chosen, name) for name in predictions}
        name = (min if question.metric.lower_is_better else max)(scores, key=lambda name: scores[name])
        chosen = {**chosen, name: chosen.get(name, 0) + 1}
        if best is None or question.metric.is_better(scores[name], best[0]):
            best = scores[name], chosen
    assert best is not None
    chosen = best[1]
    train = _mean({name: predictions[name].train for name in chosen}, chosen)
    test = _mean({name: predictions[name].test for name in chosen}, chosen)
    return Prediction(train, test), chosen


def _score_with(
    question: Question, predictions: Mapping[str, Prediction], chosen: Mapping[str, int], name: str
) -> float:
    weights = {**chosen, name: chosen.get(name, 0) + 1}
    mean = _mean({model: predictions[model].train for model in weights}, weights)
    return question.metric.score(question.truth, mean)


def _mean(matrices: Mapping[str, Matrix], weights: Mapping[str, int]) -> Matrix:
    mean: Matrix = np.average(list(matrices.values()), axis=0, weights=[weights[name] for name in matrices])
    return mean
