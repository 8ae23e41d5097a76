"""Google QUEST: thirty ratings of questions and their answers, one row in ten held back at random.

One rating hardly varies: if it does not vary at all in the test part, the first test row changes places with the first
train row that has it. v1 splits rows, so that answers to one question fall on both sides; v2 splits questions, by their
`url`, and then exchanges whole ones.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, has_columns, promise, rows_of, sample, split_positions

RARE = "question_type_spelling"

Positions = npt.NDArray[np.intp]


def prepare(data: Dataset) -> None:
    features, targets = list(data.tables["features"]), data.classes
    ratings = data.raw.csv("train.csv")
    has_columns(ratings, *features, *targets, name="train.csv")
    unit = np.arange(len(ratings)) if data.version == "v1" else pd.factorize(ratings["url"], use_na_sentinel=False)[0]
    train, test = (ratings.iloc[rows] for rows in _split(unit, ratings[RARE].to_numpy()))
    ratings_of_test = test[targets]
    varies = ratings_of_test.min() < ratings_of_test.max()
    constant = varies.index[~varies].tolist()
    promise(bool(varies.all()), f"Ratings that do not vary in the test part can't be scored: {', '.join(constant)}.")
    guesses = dict.fromkeys(targets, np.linspace(0, 1, len(test)))

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test[features])
    data.public.csv("sample_submission.csv", sample(test, "qa_id", **guesses))
    data.private.csv("test.csv", test[["qa_id", *targets]])


def _split(unit: Positions, rare: npt.NDArray[np.float64]) -> tuple[Positions, Positions]:
    """Rows of the train and of the test part, given which unit of the split each belongs to."""
    kept, held_back = split_positions(unit.max() + 1, test=0.1)
    if len(np.unique(rare[np.isin(unit, held_back)])) == 1:
        has_it = np.isin(kept, unit[rare != 0])
        promise(bool(has_it.any()), f"{RARE} is 0 in all train rows.")
        place = np.flatnonzero(has_it)[0]
        kept[place], held_back[0] = held_back[0], kept[place]
    return rows_of(kept, unit, rows="split"), rows_of(held_back, unit, rows="split")
