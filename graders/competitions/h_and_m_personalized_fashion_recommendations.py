"""H&M Personalized Fashion Recommendations: the mean precision of twelve articles for each customer.

Customers who bought nothing in the test period are not scored. v1 sorts the others and pairs them with the answers by
position, so that a customer who is listed twice shifts all later ones; it compares articles as pandas reads them,
mostly without the leading zero. v2 rejects repeated customers, pairs by name, reads text, and leading zeros do not
matter.
"""

import numpy as np

from graders.metrics import average_precision_at_score
from graders.toolkit import Entry, guesses, join, must_have, must_not_repeat, warn_of_other_ids

MOST = 12
COLUMNS = ("customer_id", "prediction")


def score(entry: Entry) -> float:
    if entry.version == "v2":
        return _score_by_name(entry)
    must_have(entry.submission, *COLUMNS, exactly=True)
    scored = entry.submission[entry.submission["customer_id"].isin(entry.answers["customer_id"])]
    predicted = scored.sort_values("customer_id").iloc[: len(entry.answers)]
    truth = entry.answers.sort_values("customer_id")
    if not np.array_equal(predicted["customer_id"], truth["customer_id"]):
        join(scored, entry.answers, on="customer_id")  # nobody is missing
        warn_of_other_ids(entry, predicted, truth, on="customer_id")
    bought = (text.split(" ") for text in truth["prediction"].astype(str))
    return average_precision_at_score(bought, guesses(predicted["prediction"], most=MOST), most=MOST)


def _score_by_name(entry: Entry) -> float:
    submission, answers = entry.with_text("prediction")
    must_have(submission, *COLUMNS, exactly=True)
    must_not_repeat(submission, on="customer_id")
    scored = submission[submission["customer_id"].isin(answers["customer_id"])]
    predicted, truth = join(scored, answers, on="customer_id")
    bought = (_without_zeros(text.split()) for text in truth["prediction"])
    guessed = (_without_zeros(row) for row in guesses(predicted["prediction"], most=MOST, single_blanks=False))
    return average_precision_at_score(bought, guessed, most=MOST)


def _without_zeros(articles: list[str]) -> list[str]:
    return [article.lstrip("0") for article in articles]
