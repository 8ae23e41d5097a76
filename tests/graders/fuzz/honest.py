"""A competition under attack: its honest submissions, the best score that honesty gets, and how to grade a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from bounded import BoundedGrader, Failure, Verdict

import catalog

ROUNDING = 1e-5


@dataclass(frozen=True)
class Target:
    """A prepared competition of the kit in one version."""

    made: Any
    grader: BoundedGrader
    path: Path

    def grade_bytes(self, content: bytes) -> Verdict:
        self.path.write_bytes(content)
        try:
            return self.grader.grade(self.made.id, self.path, self.made.private, self.made.version)
        except Failure as failure:
            begin = content if len(content) < 2000 else content[:2000] + b"..."
            raise Failure(f"{self.made.id} {self.made.version}: {failure}\nsubmission: {begin!r}") from None

    def grade(self, frame: pd.DataFrame) -> Verdict:
        return self.grade_bytes(frame.to_csv(index=False).encode())

    @cached_property
    def submissions(self) -> dict[str, pd.DataFrame]:
        """The kit's submissions that are meant to be valid, and the answers themselves."""
        named = {name: frame for name, frame in self.made.submissions().items() if not name.startswith("bad")}
        return named | {"answers": self._answers(list(next(iter(named.values())).columns))}

    def _answers(self, columns: list[str]) -> pd.DataFrame:
        """The answers as they stand, as far as they have a submission's columns; not all competitions have them so."""
        path = self.made.private / catalog.load(self.made.id).answers
        if path.suffix != ".csv":
            return pd.DataFrame(columns=columns)
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        return table[[column for column in columns if column in table.columns]]

    @cached_property
    def perfect(self) -> pd.DataFrame:
        return next(self.submissions[name] for name in ("perfect", "gold", "answers") if name in self.submissions)

    @cached_property
    def has_a_best(self) -> bool:
        """Whether the perfect submission has a number for a score, which others can be held against."""
        return self.grade(self.perfect).score is not None

    @cached_property
    def perfect_score(self) -> float:
        return self._best(name for name in ("perfect", "gold", "answers") if name in self.submissions)

    @cached_property
    def best_score(self) -> float:
        """The best score of a submission that plays by the rules: some beat the kit's perfect one."""
        return self._best(self.submissions)

    def _best(self, names: Iterable[str]) -> float:
        verdicts = [self.grade(self.submissions[name]) for name in names]
        scores = [v.score for v in verdicts if v.score is not None and not v.warnings]
        return min(scores) if self.lower_is_better else max(scores)

    @property
    def lower_is_better(self) -> bool:
        return catalog.load(self.made.id).lower_is_better

    def gain(self, score: float, over: float) -> float:
        """By how much a score is better than another one."""
        return over - score if self.lower_is_better else score - over

    def must_not_be_won_by(self, verdict: Verdict) -> None:
        """A score better than the best honest one is only possible in v1, and only with a warning."""
        if verdict.score is None or not self.has_a_best or (self.made.version == "v1" and verdict.warnings):
            return
        if self.gain(verdict.score, self.perfect_score) <= ROUNDING:
            return
        assert self.gain(verdict.score, self.best_score) <= ROUNDING, (
            f"{self.made.id} {self.made.version} gives {verdict.score} without a warning; "
            f"the best honest submission has {self.best_score}"
        )
