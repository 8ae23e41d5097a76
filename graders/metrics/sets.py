"""Sets of labels or words, one for each case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

Sets = Sequence[Iterable[str]]


def micro_f1_score(truth: Sets, predicted: Sets, *, known_only: bool = False) -> float:
    """F1 of all (case, label) pairs together; 0 without a hit.

    `known_only`: a predicted label that no case truly has is left out, and so costs nothing.

    >>> micro_f1_score([{"rust"}, {"scab", "rust"}], [{"rust", "mould"}, {"scab"}])
    0.6666666666666666
    >>> micro_f1_score([{"rust"}, {"scab", "rust"}], [{"rust", "mould"}, {"scab"}], known_only=True)
    0.8
    """
    true, said = [set(labels) for labels in truth], [set(labels) for labels in predicted]
    if known_only:
        known = set[str]().union(*true)
        said = [labels & known for labels in said]
    hits = sum(len(t & s) for t, s in zip(true, said, strict=True))
    pairs = sum(map(len, true)) + sum(map(len, said))
    return 2 * hits / pairs if pairs else 0.0


def mean_f1_score(truth: Sets, predicted: Sets) -> float:
    """The mean over cases of the F1 of their labels; 0 for a case without a hit.

    >>> mean_f1_score([{"rust"}, {"scab", "rust"}], [{"rust"}, {"mould"}])
    0.5
    """
    return float(np.mean([micro_f1_score([t], [s]) for t, s in zip(truth, predicted, strict=True)]))


def mean_jaccard_score(truth: Sets, predicted: Sets, *, both_empty: float) -> float:
    """The mean over cases of the share of words in both among those in either; `both_empty` where there are none.

    >>> mean_jaccard_score([{"so", "sad"}, {"fun"}], [{"sad"}, {"fun"}], both_empty=1)
    0.75
    """
    true, said = [set(words) for words in truth], [set(words) for words in predicted]
    return float(np.mean([len(t & s) / len(t | s) if t or s else both_empty for t, s in zip(true, said, strict=True)]))
