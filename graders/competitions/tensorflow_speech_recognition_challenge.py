"""TensorFlow Speech Recognition: the share of clips with the right label.

v2 rejects labels other than the task's twelve, which v1 counts as wrong.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_compare, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "fname", "label")
    predicted, truth = pair(entry.submission, entry.answers, on="fname")
    must_compare(predicted["label"], truth["label"])
    if entry.version == "v2":
        must_be_one_of(predicted["label"], entry.classes)
    return accuracy_score(truth["label"], predicted["label"])
