"""H&M Personalized Fashion Recommendations: what customers bought; the last week is held back.

v1 takes eight days for a week, and article numbers lose their leading zero in the transactions and the answers, though
nowhere else. v2 takes seven days and keeps all ten digits.
"""

import pandas as pd

from preparers.toolkit import Dataset, has_columns

FEW_VALUES = {"t_dat": "category", "customer_id": "category"}
"""Columns whose texts repeat: held once each, 31 million purchases take a gigabyte and not ten."""


def prepare(data: Dataset) -> None:
    kinds = FEW_VALUES if data.version == "v1" else {**FEW_VALUES, "article_id": "category"}
    bought = data.raw.csv("transactions_train.csv", dtype=kinds)
    has_columns(
        bought, "t_dat", "customer_id", "article_id", "price", "sales_channel_id", name="transactions_train.csv"
    )
    days = pd.Series(bought["t_dat"].cat.categories)
    week = pd.Timedelta(days=7 if data.version == "v1" else 6)
    first_day = (pd.Timestamp(days.max()) - week).strftime("%Y-%m-%d")
    is_test = bought["t_dat"].isin(days[days >= first_day])
    test = bought[is_test].astype({"customer_id": str, "article_id": str})
    answers = test.groupby("customer_id")["article_id"].agg(" ".join).rename("prediction").reset_index()

    data.public.csv("transactions_train.csv", bought[~is_test])
    for name in ("sample_submission.csv", "articles.csv", "customers.csv"):
        data.public.copy(name)
    data.public.tree("images")
    data.private.csv("answers.csv", answers)
