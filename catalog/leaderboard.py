"""Read a private leaderboard that a competition brings with it: leaderboard.csv, a `score` for each team."""

import csv
from math import isfinite
from pathlib import Path

from catalog.errors import BadFacts


def read_scores(path: Path) -> list[float]:
    """Every team's score in the file's order; rows without a score are teams that were not ranked."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if "score" not in (rows.fieldnames or ()):
            raise BadFacts(
                f"{path} has no column `score`; found {', '.join(rows.fieldnames or ()) or 'an empty file'}."
            )
        scores = [_number(path, rows.line_num, row["score"]) for row in rows if row["score"]]
    if not scores:
        raise BadFacts(f"{path} has no score at all: medal lines need at least one team.")
    return scores


def _number(path: Path, line: int, text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not isfinite(score):
        raise BadFacts(f"{path}, line {line}: score is {text!r}; write a finite number, or leave it empty.")
    return score
