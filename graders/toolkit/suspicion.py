"""Warnings that several competitions share: what v1 lets pass when it matches rows, and what comes of it."""

from __future__ import annotations

import pandas as pd

from graders.toolkit.entry import Entry


def warn_of_repeats(entry: Entry, *, on: str) -> None:
    """v1 scores each row of a repeated id."""
    repeats = int(entry.submission.duplicated(on).sum())
    if repeats:
        entry.warn(
            f"{repeats:,} rows repeat an id: ids that are repeated weigh more in v1, which scores every row of theirs."
        )


def warn_of_other_ids(entry: Entry, predicted: pd.DataFrame, truth: pd.DataFrame, *, on: str) -> None:
    """v1 scores rows against answers by their place, and does not look at the ids of either."""
    if on not in predicted.columns:
        entry.warn(f"There is no column {on!r}: v1 takes rows by their place, and does not look for it.")
    elif (predicted[on].to_numpy() != truth[on].to_numpy()).any():
        entry.warn(f"Rows are scored against answers of another {on!r}: v1 takes them by their place.")
