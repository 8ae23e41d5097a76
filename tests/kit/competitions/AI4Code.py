"""Synthetic raw data and submissions for AI4Code."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import csv_text, write

N = 280  # notebooks of the raw train set
LINES = ["import numpy as np", "df.head()", "# Title", "plot(x)", "print('h\u00e9llo')", "Some *text*, more", "x = {'a': 1}\ny = 2"]


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    ids = [f"{v:014x}" for v in np.sort(rng.choice(1 << 55, n, replace=False))]
    # families: one too large for the test set, some small ones, the rest alone
    sizes = [n // 6]
    while sum(sizes) < n // 2:
        sizes.append(int(rng.integers(2, 6)))
    sizes += [1] * (n - sum(sizes))
    family = np.repeat(np.arange(len(sizes)), sizes)[:n]
    ancestors = [f"{v:08x}" for v in rng.choice(1 << 31, len(sizes), replace=False)]
    rows, orders = [], []
    for key, k in zip(rng.permutation(ids), family):
        parent = f"{int(rng.integers(1 << 55)):014x}" if rng.random() < 0.3 else ""
        rows.append({"id": str(key), "ancestor_id": ancestors[k], "parent_id": parent})
    rows.sort(key=lambda r: r["id"])
    write(raw / "train_ancestors.csv", csv_text(rows))
    for key in ids:
        code, text = int(rng.integers(1, 12)), int(rng.integers(1, 10))
        cells = [f"{v:08x}" for v in rng.choice(1 << 31, code + text, replace=False)]
        true = list(rng.permutation(cells))
        kind = {c: "code" for c in cells[:code]} | {c: "markdown" for c in cells[code:]}
        shown = [c for c in true if kind[c] == "code"] + list(rng.permutation(cells[code:]))
        source = {str(c): LINES[int(rng.integers(len(LINES)))] for c in shown}
        body = {"cell_type": {str(c): kind[c] for c in shown}, "source": source}
        write(raw / f"train/{key}.json", json.dumps(body, ensure_ascii=bool(rng.random() < 0.5)))
        orders.append({"id": key, "cell_order": " ".join(true)})
    orders = [orders[i] for i in rng.permutation(n)]
    write(raw / "train_orders.csv", csv_text(orders))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test_orders.csv")

    def mapped(function):
        return truth.assign(cell_order=[" ".join(function(s.split())) for s in truth["cell_order"]])

    def swapped(cells):
        cells = list(cells)
        for _ in range(2):
            i = int(rng.integers(0, len(cells) - 1))
            cells[i], cells[i + 1] = cells[i + 1], cells[i]
        return cells

    def one(text):
        return truth.assign(cell_order=[text] + list(truth["cell_order"][1:]))

    first = truth["cell_order"][0].split()
    order = int(rng.integers(1 << 30))
    noisy = mapped(lambda c: rng.permutation(c))
    twice = truth.copy()
    twice.loc[0, "id"] = twice.loc[1, "id"]
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": mapped(swapped).sample(frac=1, random_state=order),
        "perfect": truth,
        "reversed": mapped(lambda c: c[::-1]),
        "quirk_odd_spaces": truth.assign(cell_order=["  " + s.replace(" ", "   ") + " " for s in truth["cell_order"]], note="x"),
        "bad_missing_row": truth.iloc[1:],
        "bad_extra_row": pd.concat([truth, truth.iloc[:1]]),
        "bad_missing_column": truth.drop(columns="cell_order"),
        "bad_no_id": truth.rename(columns={"id": "Id"}),
        "bad_ids": truth.assign(id=["x" + i for i in truth["id"]]),
        "bad_duplicate_id": twice,
        "bad_missing_cell": one(" ".join(first[1:])),
        "bad_extra_cell": one(" ".join(first + first[:1])),
        "bad_unknown_cell": one(" ".join(["zzzzzzzz"] + first[1:])),
        "bad_repeated_cell": one(" ".join(first[1:2] + first[1:])),
        "bad_blank": one(""),
    }
