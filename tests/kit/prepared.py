"""The kit's competitions, prepared: made once for all tests that ask for the same one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kit
import pandas as pd
import pytest

import graders
import preparers


@dataclass(frozen=True)
class Prepared:
    """A synthetic competition that is ready to be graded."""

    id: str
    seed: int
    version: str
    raw: Path
    public: Path
    private: Path

    @cache  # noqa: B019 - lives as long as the session's fixture
    def submissions(self) -> dict[str, pd.DataFrame]:
        return kit.submissions(self.id, self.public, self.private, self.seed)

    @cache  # noqa: B019
    def report(self, name: str) -> graders.Report:
        """The verdict on one of the kit's submissions."""
        return self.grade(self.submissions()[name], self.public.parent / f"{name}.csv")

    def grade(self, submission: pd.DataFrame, path: Path) -> graders.Report:
        return graders.grade(self.id, kit.write_submission(submission, path), self.private, self.version)


def preparer(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Prepared]:
    """A function that prepares a competition of the kit, or hands out the one that was."""

    @cache
    def raw_files(competition_id: str, seed: int) -> Path:
        raw: Path = tmp_path_factory.mktemp("raw") / competition_id
        kit.make_raw(competition_id, raw, seed)
        return raw

    @cache
    def make(competition_id: str, seed: int = 0, version: str = "v1") -> Prepared:
        raw = raw_files(competition_id, seed)
        folder = tmp_path_factory.mktemp(competition_id)
        preparers.prepare(competition_id, raw, folder / "public", folder / "private", version)
        return Prepared(competition_id, seed, version, raw, folder / "public", folder / "private")

    return make
