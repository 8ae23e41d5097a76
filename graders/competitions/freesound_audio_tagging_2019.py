"""Freesound Audio Tagging 2019: scores of 80 sounds for each clip, by label-weighted label-ranking precision.

v1 wants exactly the sample's columns in their order; v2 finds them by name. Clips without a label are not scored, and
their values need only be numbers.
"""

from graders.metrics import label_ranking_precision_score
from graders.toolkit import Entry, must_be_finite, must_be_numbers, must_have, pair


def score(entry: Entry) -> float:
    sounds = entry.classes
    must_have(entry.submission, "fname", *sounds, in_order=entry.version == "v1")
    predicted, truth = pair(entry.submission, entry.answers, on="fname")
    must_be_numbers(predicted[sounds])
    is_scored = (truth[sounds] > 0).any(axis=1).to_numpy()
    must_be_finite(predicted[sounds][is_scored])
    return label_ranking_precision_score(truth[sounds][is_scored], predicted[sounds][is_scored])
