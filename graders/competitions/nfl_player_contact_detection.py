"""NFL Player Contact: Matthews' correlation coefficient of contact or none.

v1 takes any whole number for a label, and with a third one computes the coefficient's form for several classes; v2
takes 0 and 1 only.
"""

from graders.metrics import matthews_score
from graders.toolkit import Entry, must_be_numbers, must_be_one_of, must_be_whole, must_have, numbers, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "contact_id", "contact")
    predicted, truth = pair(entry.submission, entry.answers_of("contact_id", "contact"), on="contact_id")
    must_be_numbers(predicted["contact"], strict=True)
    must_be_whole(predicted["contact"])
    if entry.version == "v2":
        must_be_one_of(predicted["contact"], [0, 1])
    return matthews_score(truth["contact"], numbers(predicted["contact"]))
