"""Tweet Sentiment Extraction: the mean share of common words (Jaccard) of predicted and true texts.

v1 takes words such as `nan` for empty, numbers as pandas writes them, and rejects a file in which prediction and answer
are both empty in some row. v2 reads texts as they stand, and such a row counts 1.
"""

from graders.metrics import mean_jaccard_score
from graders.toolkit import Entry, InvalidSubmission, Reason, as_text, each_words, pair_texts


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "selected_text", on="textID", plain=entry.version == "v2")
    said, true = (as_text(column, missing="").str.lower() for column in (predicted, truth))
    if entry.version == "v1" and not all(a.strip() or b.strip() for a, b in zip(said, true, strict=True)):
        raise InvalidSubmission(
            Reason.NOT_SCORABLE,
            "v1 has no score for some of the empty predictions.",
            hint="predict at least one word in every row; nan, null and NA count as empty",
        )
    return mean_jaccard_score(each_words(true), each_words(said), both_empty=1)
