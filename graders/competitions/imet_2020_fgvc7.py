"""iMet Collection 2020: F1 of all attributes of all pictures together.

In v1 an attribute that no test picture has costs nothing, and a file with one number in each row is rejected; in v2
every predicted attribute counts, and cells are read as text.
"""

from graders.metrics import micro_f1_score
from graders.toolkit import Entry, label_sets, must_have, pair, words


def score(entry: Entry) -> float:
    if entry.version == "v2":
        return _score_as_text(entry)
    must_have(entry.submission, "id", "attribute_ids")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    said, true = label_sets(predicted["attribute_ids"], truth["attribute_ids"])
    return micro_f1_score(true, said, known_only=True)


def _score_as_text(entry: Entry) -> float:
    submission, answers = entry.with_text("attribute_ids")
    must_have(submission, "id", "attribute_ids")
    predicted, truth = pair(submission, answers, on="id")
    return micro_f1_score(words(truth["attribute_ids"]), words(predicted["attribute_ids"]))
