"""Sets of labels or words, one for each case."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import pandas as pd

Sets = Sequence[Collection[str]]
Numbers = npt.NDArray[np.int64]


def micro_f1_score(truth: Sets, predicted: Sets, *, known_only: bool = False) -> float:
    """F1 of all (case, label) pairs together; 0 without a hit.

    `known_only`: a predicted label that no case truly has is left out, and so costs nothing.

    >>> micro_f1_score([{"rust"}, {"scab", "rust"}], [{"rust", "mould"}, {"scab"}])
    0.6666666666666666
    >>> micro_f1_score([{"rust"}, {"scab", "rust"}], [{"rust", "mould"}, {"scab"}], known_only=True)
    0.8
    """
    true, said, labels = _numbered_pairs(truth, predicted)
    if known_only:
        said = said[np.isin(said % labels, true % labels)]
    hits = int(np.isin(said, true, assume_unique=True).sum())
    pairs = len(true) + len(said)
    return 2 * hits / pairs if pairs else 0.0


def _numbered_pairs(truth: Sets, predicted: Sets) -> tuple[Numbers, Numbers, int]:
    """The (case, label) pairs of both sides, each once, as case × labels + label; and how many labels there are."""
    cells = [*truth, *predicted]
    label, labels = pd.factorize(np.array(list(chain.from_iterable(cells)), dtype=object))
    case = np.concatenate([np.arange(len(truth)), np.arange(len(predicted))])
    pairs = np.repeat(case, [len(cell) for cell in cells]) * len(labels) + label
    true = sum(len(cell) for cell in truth)
    return pd.unique(pairs[:true]), pd.unique(pairs[true:]), max(1, len(labels))


def mean_f1_score(truth: Sets, predicted: Sets) -> float:
    """The mean over cases of the F1 of their labels; 0 for a case without a hit.

    >>> mean_f1_score([{"rust"}, {"scab", "rust"}], [{"rust"}, {"mould"}])
    0.5
    """
    return float(np.mean([_f1_score(set(t), set(s)) for t, s in zip(truth, predicted, strict=True)]))


def _f1_score(true: set[str], said: set[str]) -> float:
    return 2 * len(true & said) / (len(true) + len(said)) if true or said else 0.0


def mean_jaccard_score(
    truth: Iterable[Collection[str]], predicted: Iterable[Collection[str]], *, both_empty: float
) -> float:
    """The mean over cases of the share of words in both among those in either; `both_empty` where there are none.

    >>> mean_jaccard_score([{"so", "sad"}, {"fun"}], [{"sad"}, {"fun"}], both_empty=1)
    0.75
    """
    shares = [_jaccard_score(set(t), set(s), both_empty) for t, s in zip(truth, predicted, strict=True)]
    return float(np.mean(shares))


def _jaccard_score(true: set[str], said: set[str], both_empty: float) -> float:
    common = len(true & said)
    return common / (len(true) + len(said) - common) if true or said else both_empty
