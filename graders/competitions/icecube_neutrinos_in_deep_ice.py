"""IceCube: the mean angle between true and predicted directions, in radians. v2 is the same.

Angles may have any value, as whole turns make no difference.
"""

import numpy as np
import pandas as pd

from graders.toolkit import Entry, Floats, must_be_finite, must_be_numbers, must_have, numbers, pair

ANGLES = ["azimuth", "zenith"]


def score(entry: Entry) -> float:
    must_have(entry.submission, "event_id", *ANGLES, exactly=True)
    predicted, truth = pair(entry.submission, entry.answers, on="event_id")
    must_be_numbers(predicted[ANGLES], strict=True)
    must_be_finite(predicted[ANGLES])
    cosines = sum(a * b for a, b in zip(_directions(predicted), _directions(truth), strict=True))
    return float(np.arccos(np.clip(cosines, -1, 1)).mean())


def _directions(rows: pd.DataFrame) -> tuple[Floats, Floats, Floats]:
    azimuth, zenith = (numbers(rows[angle]) for angle in ANGLES)
    across = np.sin(zenith)
    return across * np.cos(azimuth), across * np.sin(azimuth), np.cos(zenith)
