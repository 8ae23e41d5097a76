"""What files can be taken from, a folder or an archive, and how tables, JSON and arrays are read out of either.

Floats are read exactly (`float_precision="round_trip"`) unless a specification asks for another parser; everything else
is at pandas' defaults, and options are handed on to it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Pairs = Iterable[tuple[str, str]]
"""Names of files: where one goes, and where it comes from."""


class Origin(ABC):
    """A place with named files. Names are relative, with forward slashes."""

    @abstractmethod
    def open(self, name: str) -> IO[bytes]:
        """The file's bytes as a stream; `PreparationError` if there is no such file."""

    @abstractmethod
    def names(self, pattern: str = "**") -> list[str]:
        """Names of the files that match, sorted as text: `train/*.jpg` in one folder, `train/**/*.wav` at any depth."""

    @abstractmethod
    def deliver(self, pairs: Pairs, folder: Path) -> None:
        """Put files below a folder, linked where that is possible; all that are missing are told in one error."""

    def csv(self, name: str, **options: Any) -> pd.DataFrame:
        """A table. `float_precision=None` is pandas' own, not quite exact parser."""
        with self.open(name) as file:
            frame: pd.DataFrame = pd.read_csv(file, **{"float_precision": "round_trip", **options})
        return frame

    def tsv(self, name: str, **options: Any) -> pd.DataFrame:
        """A table with tabs between its fields."""
        return self.csv(name, sep="\t", **options)

    def parquet(self, name: str, **options: Any) -> pd.DataFrame:
        """A parquet table."""
        with self.open(name) as file:
            frame: pd.DataFrame = pd.read_parquet(file, **options)
        return frame

    def text(self, name: str, encoding: str = "utf-8") -> str:
        """A whole text, line ends turned to newlines."""
        with self.open(name) as file:
            text = file.read().decode(encoding)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def json(self, name: str, encoding: str = "utf-8") -> Any:
        """A JSON document."""
        with self.open(name) as file:
            return json.loads(file.read().decode(encoding))

    def jsonl(self, name: str) -> Iterator[Any]:
        """The documents of a JSON lines file, one after the other: the file may be larger than memory."""
        with self.open(name) as file:
            for line in file:
                if line.strip():
                    yield json.loads(line)

    def array(self, name: str) -> npt.NDArray[Any]:
        """A numpy array; one that would need pickle to be read is refused."""
        with self.open(name) as file:
            array: npt.NDArray[Any] = np.load(file, allow_pickle=False)
        return array
