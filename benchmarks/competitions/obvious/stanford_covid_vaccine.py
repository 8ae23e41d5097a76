"""COVID vaccine: molecules with a clear signal drawn at random, a row for each place; the mean of three errors."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import mean_squared_error

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read

TARGETS = ["reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C"]
SCORED = ["reactivity", "deg_Mg_pH10", "deg_Mg_50C"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    keep = truth["keep"]
    predicted, truth = predicted.sort_values("id_seqpos"), truth.sort_values("id_seqpos")
    if list(predicted["id_seqpos"]) != list(truth["id_seqpos"]):
        raise ValueError("the ids differ")
    predicted, truth = predicted.loc[keep[predicted.index]], truth.loc[keep[truth.index]]
    return float(np.mean([np.sqrt(mean_squared_error(truth[name], predicted[name])) for name in SCORED]))


def prepare(raw: Path, public: Path, private: Path) -> None:
    table, unused = (pd.read_json(raw / name, lines=True) for name in ("train.json", "test.json"))
    test = table[table["SN_filter"] > 0].sample(n=int(0.1 * len(table)), random_state=0).sort_index()
    train = table.drop(index=test.index)
    rows = []
    for _, molecule in test.iterrows():
        for place in range(molecule["seq_length"]):
            is_kept = place < molecule["seq_scored"]
            values = [molecule[name][place] if is_kept else 0.0 for name in TARGETS]
            rows.append([f"{molecule['id']}_{place}", *values, is_kept])
    answers = pd.DataFrame(rows, columns=["id_seqpos", *TARGETS, "keep"])
    splitting.write(private / "test.csv", answers, float_format="%.10f")
    sample = answers[["id_seqpos"]].assign(**dict.fromkeys(TARGETS, 0.0))
    splitting.write(public / "sample_submission.csv", sample, float_format="%.10f")
    for name, part in (("train.json", train), ("test.json", test[unused.columns])):
        part.assign(index=range(len(part))).to_json(public / name, orient="records", lines=True)
