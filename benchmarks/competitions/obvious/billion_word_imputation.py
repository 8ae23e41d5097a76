"""Billion words: line after line, one in a hundred loses a word; the edit distance cell by cell."""

import shutil
from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious.cells import edit_distance
from benchmarks.competitions.obvious.splitting import pack, unpacked
from benchmarks.competitions.obvious.tables import cell_by_cell

HEADER = '"id","sentence"\n'

grade = cell_by_cell(edit_distance, "id", "sentence")


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    private.mkdir()
    random = np.random.RandomState(0)
    number = 0
    with (
        unpacked(raw / "train_v2.txt.zip", public) as folder,
        (folder / "train_v2.txt").open(encoding="utf-8") as lines,
        (public / "train_v2.txt").open("w", encoding="utf-8") as train,
        (public / "test_v2.txt").open("w", encoding="utf-8") as test,
        (private / "test.csv").open("w", encoding="utf-8") as answers,
    ):
        test.write(HEADER)
        answers.write(HEADER)
        for line in lines:
            if random.uniform() > 0.01 or len(line.split()) <= 2:
                train.write(line)
                continue
            sentence = line.strip().replace('"', '""')
            words = sentence.split()
            del words[random.randint(1, len(words) - 1)]
            answers.write(f'{number},"{sentence}"\n')
            test.write(f'{number},"{" ".join(words)}"\n')
            number += 1
    shutil.copy(public / "test_v2.txt", private / "sample_submission.csv")
    for name in ("train_v2.txt", "test_v2.txt"):
        pack(public / f"{name}.zip", public / name)
