"""iWildCam 2019: F1 of the animals, averaged over all that are true or predicted.

v1 cuts decimals off and takes any number for an animal; v2 rejects all but 0 to 22. A picture that is listed twice has
two rows, which v1 pairs as pandas' sort leaves them, and v2 in order.
"""

from graders.metrics import macro_f1_score
from graders.toolkit import Entry, cut_to_whole, line_up, must_be_one_of, must_have, pair

ANIMALS = range(23)


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Category")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    if entry.version == "v1":
        predicted, truth = line_up(entry.submission, entry.answers, by="Id")
    else:
        must_be_one_of(predicted["Category"], ANIMALS)
    return macro_f1_score(truth["Category"], cut_to_whole(predicted["Category"]))
