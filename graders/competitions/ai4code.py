"""AI4Code: Kendall's tau between predicted and true orders of cells, over all notebooks together. v2 is the same."""

import numpy as np

from graders.metrics import kendall_score
from graders.toolkit import Entry, InvalidSubmission, Reason, as_text, pair_texts, words

CELLS = "cell_order"


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, CELLS, on="id", plain=False)
    orders, true = words(as_text(predicted)), words(as_text(truth))
    wrong = np.array(
        [sorted(order) != sorted(cells) for order, cells in zip(orders, true, strict=True)], dtype=np.bool_
    )
    if wrong.any():
        rows = ", ".join(f"{row + 1:,}" for row in predicted.index[wrong][:3])
        raise InvalidSubmission(
            Reason.MALFORMED,
            f"{wrong.sum():,} notebooks are not given all of their cells, each once, for instance in row {rows}.",
            expected="the cells of the notebook's JSON file in some order, with blanks between them",
        )
    if all(len(cells) < 2 for cells in true):
        raise InvalidSubmission(Reason.NOT_SCORABLE, "No notebook has two cells: no order can be scored.")
    return kendall_score(true, orders)
