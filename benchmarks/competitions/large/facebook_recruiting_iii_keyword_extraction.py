"""Facebook Recruiting III: n questions to prepare, which are those of a kit of usual size again and again.

Answers have one to five of 40,000 tags, as in the real data, some of them being very frequent.
"""

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.competitions import kitdata

RAW_UNIT, RAW_FIRST = "questions", 500
CASE_UNIT, CASE_FIRST, CASE_MOST = "questions", 1_000, 1_000_000
TAGS = 40_000


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    with TemporaryDirectory() as folder:
        kitdata.make_raw("facebook-recruiting-iii-keyword-extraction", Path(folder), 500)
        with zipfile.ZipFile(Path(folder) / "Train.zip") as archive, archive.open("Train.csv") as file:
            table = pd.read_csv(file, dtype=str, keep_default_na=False)
    whole = kitdata.repeat(table, ("Id",), -(-n // len(table))).head(n)
    with zipfile.ZipFile(raw / "Train.zip", "w") as archive:
        archive.writestr("Train.csv", whole.to_csv(index=False, quoting=1, lineterminator="\r\n"))


def make_case(private: Path, submission: Path, rng: np.random.Generator, n: int) -> None:
    counts = rng.integers(1, 6, n)
    true, kept = (rng.zipf(1.3, counts.sum()) % TAGS for _ in range(2))
    said = np.where(rng.random(len(true)) < 0.6, true, kept)
    ends = np.cumsum(counts)

    def texts(tags: npt.NDArray[np.int64]) -> list[str]:
        return [" ".join(f"tag-{tag}" for tag in part) for part in np.split(tags, ends[:-1])]

    ids = np.arange(1, n + 1)
    truth = {"Id": ids, "Title": "how to", "Body": "<p>it does not work</p>", "Tags": texts(true)}
    pd.DataFrame(truth).to_csv(private / "test.csv", index=False)
    pd.DataFrame({"Id": ids, "Tags": texts(said)}).to_csv(submission, index=False)
