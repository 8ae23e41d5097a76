"""Plant Pathology 2021: F1 of the diseases of leaves.

v1 takes all labels of all pictures together, and a class that no answer has costs nothing. v2 takes the mean of each
picture's F1, as Kaggle did, in which every predicted class counts.
"""

from graders.metrics import mean_f1_score, micro_f1_score
from graders.toolkit import Entry, label_sets, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "image", "labels")
    predicted, truth = pair(entry.submission, entry.answers, on="image")
    said, true = label_sets(predicted["labels"], truth["labels"])
    if entry.version == "v2":
        return mean_f1_score(true, said)
    return micro_f1_score(true, said, known_only=True)
