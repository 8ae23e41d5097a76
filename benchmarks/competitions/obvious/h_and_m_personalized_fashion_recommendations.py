"""H&M: the last week is held back; average precision of the first twelve guesses, customer by customer."""

import shutil
from pathlib import Path

import pandas as pd

from benchmarks.competitions.obvious.cells import average_precision
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import write


def grade(submission: Path, private: Path) -> float:
    truth, predicted = read(private / "answers.csv"), read(submission)
    predicted = predicted[predicted["customer_id"].isin(truth["customer_id"])]
    said, true = (side.sort_values("customer_id")["prediction"].astype(str) for side in (predicted, truth))
    rows = zip(true, said, strict=True)
    return sum(average_precision(set(t.split(" ")), p.split(" "), 12) for t, p in rows) / len(truth)


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "transactions_train.csv")
    days = pd.to_datetime(table["t_dat"])
    is_test = days >= days.max() - pd.Timedelta(days=7)
    write(public / "transactions_train.csv", table[~is_test])
    bought = table[is_test].astype({"article_id": str}).groupby("customer_id")["article_id"]
    write(private / "answers.csv", bought.apply(" ".join).rename("prediction").reset_index())
    for name in ("sample_submission.csv", "articles.csv", "customers.csv"):
        shutil.copy(raw / name, public)
    shutil.copytree(raw / "images", public / "images")
