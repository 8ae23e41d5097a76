"""The one argument of every competition's `prepare`: where to read, where to write, and which version to make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from catalog import Competition
from preparers.toolkit.source import Source
from preparers.toolkit.target import Target

Version = Literal["v1", "v2"]


@dataclass(frozen=True)
class Dataset:
    """A competition's data on its way from raw files to public and private ones."""

    competition: Competition
    version: Version
    """v1: byte for byte as published; v2: with the known defects mended."""
    raw: Source
    public: Target
    """What the agent gets to see."""
    private: Target
    """The answers, and what else only graders may read."""
    scratch: Target
    """For files on their way into an archive; removed at the end."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """The competition's constant tables, from the catalog."""
        return self.competition.data

    @property
    def classes(self) -> list[str]:
        """The table `classes`: label names in the order of the competition's files."""
        return list(self.tables["classes"])
