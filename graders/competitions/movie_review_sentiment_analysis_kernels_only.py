"""Movie Review Sentiment: the share of phrases with the right of five sentiments.

v2 rejects words and labels other than 0 to 4, which v1 counts as wrong.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_compare, must_have, pair

SENTIMENTS = range(5)


def score(entry: Entry) -> float:
    must_have(entry.submission, "PhraseId", "Sentiment")
    predicted, truth = pair(entry.submission, entry.answers_of("PhraseId", "Sentiment"), on="PhraseId")
    must_compare(predicted["Sentiment"], truth["Sentiment"])
    if entry.version == "v2":
        must_be_one_of(predicted["Sentiment"], SENTIMENTS)
    return accuracy_score(truth["Sentiment"], predicted["Sentiment"])
