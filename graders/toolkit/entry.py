"""The one argument of every competition's `score`: the submission, the answers, and which version's rules hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from catalog import Competition
from graders.reading import read_records, read_submission, read_table

Version = Literal["v1", "v2"]


@dataclass(frozen=True)
class Answers:
    """A competition's private folder, for graders whose answers are more than one CSV file."""

    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name

    def csv(self, name: str, *text: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """A table, or some of its columns; those named after it are read as text, without words for missing values."""
        return read_table(self.folder / name, text=text, columns=columns)

    def jsonl(self, name: str) -> list[Any]:
        """The documents of a JSON lines file."""
        return read_records(self.folder / name)


@dataclass(frozen=True)
class Entry:
    """A submission up for grading. Tables are read when they are asked for, and once."""

    competition: Competition
    version: Version
    """v1: digit for digit as published; v2: with the known defects mended."""
    path: Path
    """The submission's file; read it through `submission` or `with_text`, which hold it to its limits."""
    private: Answers
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def submission(self) -> pd.DataFrame:
        """The submission as pandas reads it by default."""
        return read_submission(self.path)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """The competition's answers file, where that is a CSV, read in the same way."""
        return self.private.csv(self.competition.answers)

    def answers_of(self, *columns: str) -> pd.DataFrame:
        """The same, but only these columns: turning the others into numbers and texts is most of what reading costs."""
        return self.private.csv(self.competition.answers, columns=columns)

    def with_text(self, *columns: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Submission and answers with some columns read as text: `7` stays '7', `NA` stays 'NA', nothing is ''."""
        return read_submission(self.path, text=columns), self.private.csv(self.competition.answers, *columns)

    @property
    def tables(self) -> Mapping[str, Any]:
        """The competition's constant tables, from the catalog."""
        return self.competition.data

    @property
    def classes(self) -> list[str]:
        """The table `classes`: label names in the order of the competition's files."""
        return list(self.tables["classes"])

    def warn(self, sentence: str) -> None:
        """Say in the report that v1 rewards nonsense of which this submission makes use: the run is marked suspect."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)
