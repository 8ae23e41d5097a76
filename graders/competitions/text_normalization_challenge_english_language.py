"""Text Normalization, English: the share of tokens that are spoken exactly as they should be.

v1 takes tokens such as `NA` for missing, and all of those for equal; v2 reads tokens as they stand.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, as_text, pair_texts


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "after", on="id", plain=entry.version == "v2")
    return accuracy_score(as_text(truth), as_text(predicted))
