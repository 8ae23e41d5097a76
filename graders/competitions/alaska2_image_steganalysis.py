"""ALASKA2: a score for "something is hidden", measured by the area under the ROC curve, its lower part counting double.

Any finite number is a score. The curve is cut at a true positive rate of 0.4; what lies under it below the cut weighs
two, what lies above weighs one. v2 is the same.
"""

import numpy as np

from graders.metrics.ranking import roc_curve
from graders.toolkit import Entry, Floats, must_be_finite, must_have, pair

CUT = 0.4
WEIGHT_BELOW, WEIGHT_ABOVE = 2, 1


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Label")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    must_be_finite(predicted["Label"])

    alarms, hits = _with_point_at_cut(*roc_curve(truth["Label"], predicted["Label"]))
    below = np.trapz(np.minimum(hits, CUT), alarms)
    above = np.trapz(np.maximum(hits - CUT, 0), alarms)
    best = WEIGHT_BELOW * CUT + WEIGHT_ABOVE * (1 - CUT)
    return float((WEIGHT_BELOW * below + WEIGHT_ABOVE * above) / best)


def _with_point_at_cut(alarms: Floats, hits: Floats) -> tuple[Floats, Floats]:
    """The curve with a corner where it crosses the cut, so that straight pieces lie on one side of it."""
    after = int(np.searchsorted(hits, CUT, side="right"))
    before = after - 1
    share = (CUT - hits[before]) / (hits[after] - hits[before])
    at_cut = alarms[before] + share * (alarms[after] - alarms[before])
    return np.insert(alarms, after, at_cut), np.insert(hits, after, CUT)
