"""AI4Code: notebooks of one ancestor stay together; inversions counted with bisect, notebook by notebook."""

import json
from bisect import bisect_left, insort
from pathlib import Path

from benchmarks.competitions.obvious.reading import read, sorted_pair
from benchmarks.competitions.obvious.splitting import copy_files, write


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test_orders.csv", "id")
    swaps = pairs = 0
    for said, true in zip(predicted["cell_order"].str.split(), truth["cell_order"].str.split(), strict=True):
        places = {cell: place for place, cell in enumerate(true)}
        swaps += inversions([places[cell] for cell in said])
        pairs += len(true) * (len(true) - 1)
    return 1 - 4 * swaps / pairs


def inversions(ranks: list[int]) -> int:
    count = 0
    before: list[int] = []
    for rank in ranks:
        count += len(before) - bisect_left(before, rank)
        insort(before, rank)
    return count


def prepare(raw: Path, public: Path, private: Path) -> None:
    ancestors = read(raw / "train_ancestors.csv").sample(frac=1, random_state=0).reset_index(drop=True)
    wanted = 20_000 if len(ancestors) >= 40_000 else len(ancestors) // 7
    test: set[str] = set()
    for _, group in ancestors.groupby("ancestor_id", sort=False):
        if len(test) + len(group) <= wanted:
            test.update(group["id"])
    orders = read(raw / "train_orders.csv")
    answers = orders[orders["id"].isin(test)]
    train = orders[~orders["id"].isin(test)]
    for part, rows in (("train", train), ("test", answers)):
        copy_files(rows["id"] + ".json", raw / "train", public / part)
    write(public / "train_orders.csv", train)
    write(private / "test_orders.csv", answers)
    write(public / "train_ancestors.csv", ancestors[~ancestors["id"].isin(test)])
    as_stored = [
        " ".join(json.loads((raw / "train" / f"{name}.json").read_text())["cell_type"]) for name in answers["id"]
    ]
    write(public / "sample_submission.csv", answers.assign(cell_order=as_stored))
