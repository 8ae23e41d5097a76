"""Brain Tumor Radiogenomics: the probability of MGMT methylation, scored by the area under the ROC curve.

Ids are read as numbers on both sides, so that `14` is `00014`. v2 is the same.
"""

from graders.metrics import roc_auc_score
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "MGMT_value", on="BraTS21ID")
    return roc_auc_score(truth, predicted)
