"""Facebook Recruiting III: n questions, which are those of a kit of usual size again and again."""

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks.competitions import kitdata

RAW_UNIT, RAW_FIRST = "questions", 500


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    with TemporaryDirectory() as folder:
        kitdata.make_raw("facebook-recruiting-iii-keyword-extraction", Path(folder), 500)
        with zipfile.ZipFile(Path(folder) / "Train.zip") as archive, archive.open("Train.csv") as file:
            table = pd.read_csv(file, dtype=str, keep_default_na=False)
    whole = kitdata.repeat(table, ("Id",), -(-n // len(table))).head(n)
    with zipfile.ZipFile(raw / "Train.zip", "w") as archive:
        archive.writestr("Train.csv", whole.to_csv(index=False, quoting=1, lineterminator="\r\n"))
