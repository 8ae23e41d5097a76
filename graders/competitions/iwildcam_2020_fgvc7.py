"""iWildCam 2020: the share of pictures with the right animal.

v1 counts words as wrong; v2 rejects them. Should answers list a picture twice, v1 pairs its rows as pandas' sort leaves
them, and v2, which has one row a picture, by its id.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, line_up, must_be_numbers, must_compare, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Category")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    if entry.version == "v1":
        predicted, truth = line_up(entry.submission, entry.answers, by="Id")
    must_compare(predicted["Category"], truth["Category"])
    if entry.version == "v2":
        must_be_numbers(predicted["Category"], strict=True)
    return accuracy_score(truth["Category"], predicted["Category"])
