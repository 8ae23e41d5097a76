"""RANZCR CLiP: a probability for each kind of catheter position, scored by the mean of their areas under the ROC curve.

v1 scores nine of the eleven labels; v2 asks for all and scores all, as Kaggle did.
"""

from graders.metrics import mean_roc_auc_score
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    labels = list(entry.tables["scored" if entry.version == "v1" else "labels"])
    predicted, truth = pair_probabilities(entry, labels, on="StudyInstanceUID")
    return mean_roc_auc_score(truth, predicted)
