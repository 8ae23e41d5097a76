"""Nomad2018: the root mean squared logarithmic error of two energies, averaged.

v1 matches rows by position and does not look at ids; v2 matches them by id.
"""

import numpy as np

from graders.metrics import root_mean_squared_log_error
from graders.toolkit import (
    Entry,
    by_position,
    must_be_finite,
    must_be_within,
    must_have,
    numbers,
    pair,
    warn_of_other_ids,
)

TARGETS = ["formation_energy_ev_natom", "bandgap_energy_ev"]


def score(entry: Entry) -> float:
    must_have(entry.submission, *TARGETS)
    answers = entry.answers_of("id", *TARGETS)
    if entry.version == "v1":
        predicted, truth = by_position(entry.submission, answers)
        warn_of_other_ids(entry, predicted, truth, on="id")
    else:
        predicted, truth = pair(entry.submission, answers, on="id")
    must_be_finite(predicted[TARGETS])
    must_be_within(predicted[TARGETS], 0, np.inf)
    return float(np.mean([root_mean_squared_log_error(truth[c], numbers(predicted[c])) for c in TARGETS]))
