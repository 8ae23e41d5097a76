"""Hindi and Tamil Question Answering: the mean share of common words (Jaccard) of predicted and true answers.

v1 takes words such as `NA` for an empty answer and rejects a column of numbers; where all texts together have fewer
than two words its library fails, and so it rejects. v2 reads answers as they stand. A row that is empty on both sides
counts 0 in both.
"""

from collections.abc import Iterator
from itertools import chain

from graders.metrics import mean_jaccard_score
from graders.toolkit import Column, Entry, InvalidSubmission, Reason, as_text, each_words, must_be_text, pair_texts


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "PredictionString", on="id", plain=entry.version == "v2")
    if entry.version == "v1":
        must_be_text(predicted)
    said, true = (as_text(column, missing="").str.lower() for column in (predicted, truth))
    every_word = chain.from_iterable(map(str.split, chain(said, true)))
    if entry.version == "v1" and (_is_of_numbers(truth) or not _are_two(every_word)):
        raise InvalidSubmission(
            Reason.NOT_SCORABLE, "v1 has no score where all texts together have less than two words."
        )
    return mean_jaccard_score(each_words(true), each_words(said), both_empty=0)


def _are_two(words: Iterator[str]) -> bool:
    first = next(words, None)
    return any(word != first for word in words)


def _is_of_numbers(answers: Column) -> bool:
    return answers.dtype != object and bool(answers.notna().any())
