"""Billion Word Imputation: sentences that lost one inner word; one line in a hundred is held back.

One generator draws for all lines, in turn: a number for each line, and the lost word for each that is held back. The
text may be larger than memory and is read and written line by line. v2 is the same.
"""

from collections.abc import Iterator
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np

from preparers.toolkit import Dataset

LINES = 30_301_028
"""What the real text has; lines beyond it are not used."""
SHARE = 0.01
HEADER = '"id","sentence"\n'


def prepare(data: Dataset) -> None:
    with (
        data.raw.unpack("train_v2.txt.zip").open("train_v2.txt") as raw,
        _open(data.scratch.path("train_v2.txt")) as train,
        _open(data.scratch.path("test_v2.txt")) as test,
        _open(data.private.path("test.csv")) as answers,
    ):
        test.write(HEADER)
        answers.write(HEADER)
        lines = islice(TextIOWrapper(raw, encoding="utf-8"), LINES)
        for number, (whole, without) in enumerate(_hold_back(lines, train)):
            answers.write(f'{number},"{whole}"\n')
            test.write(f'{number},"{without}"\n')
    data.private.copy("sample_submission.csv", "test_v2.txt", origin=data.scratch.contents)
    for name in ("train_v2.txt", "test_v2.txt"):
        data.public.pack(f"{name}.zip", name, origin=data.scratch.contents)


def _open(path: Path) -> IO[str]:
    return path.open("w", encoding="utf-8", newline="")


def _hold_back(lines: Iterator[str], train: IO[str]) -> Iterator[tuple[str, str]]:
    """The sentences that are held back, whole and without a word, quotes doubled; all other lines go to `train`."""
    random = np.random.RandomState(0)
    draw = random.random_sample
    for line in lines:
        if draw() > SHARE or len(words := line.replace('"', '""').split()) <= 2:
            train.write(line)
        else:
            lost = random.randint(1, len(words) - 1)
            yield line.strip().replace('"', '""'), " ".join(words[:lost] + words[lost + 1 :])
