"""APTOS 2019: quadratic weighted kappa of the grades of a disease.

v1 takes any whole number and weighs a disagreement by places in the sorted list of grades that occur; v2 rejects grades
other than 0 to 4 and always weighs by these five.
"""

from graders.metrics import quadratic_kappa_score
from graders.toolkit import Entry, must_be_labels, must_be_numbers, must_be_one_of, must_have, pair

GRADES = range(5)


def score(entry: Entry) -> float:
    must_have(entry.submission, "id_code", "diagnosis")
    predicted, truth = pair(entry.submission, entry.answers, on="id_code")
    must_be_numbers(predicted["diagnosis"], strict=True)
    must_be_labels(predicted["diagnosis"])
    if entry.version == "v1":
        if not predicted["diagnosis"].isin(GRADES).all():
            entry.warn(
                "Grades other than 0 to 4 are predicted: v1 takes them, and overstating what one is sure of can pay."
            )
        return quadratic_kappa_score(truth["diagnosis"], predicted["diagnosis"])
    must_be_one_of(predicted["diagnosis"], GRADES)
    return quadratic_kappa_score(truth["diagnosis"], predicted["diagnosis"], labels=GRADES)
