"""Random Acts of Pizza: requests for pizza; as large a share is held back as Kaggle's test set had.

v1's test requests name the giver of some that were granted; v2 leaves that field out of them.
"""

from typing import Any

import pandas as pd

from preparers.toolkit import Dataset, promise, sample, split_items

OUTCOME = "requester_received_pizza"
GIVER = "giver_username_if_known"


def prepare(data: Dataset) -> None:
    requests, kaggles = _read(data, "train.json"), _read(data, "test.json")
    fields = list(kaggles[0])
    promise(set(fields) <= set(requests[0]), "test.json has fields that train.json lacks.")
    if data.version == "v2":
        fields = [field for field in fields if field != GIVER]
    train, test = split_items(requests, test=len(kaggles) / (len(requests) + len(kaggles)))
    answers = pd.DataFrame(
        {"request_id": [row["request_id"] for row in test], OUTCOME: [int(row[OUTCOME]) for row in test]}
    )

    shown = {"train": train, "test": [{field: row[field] for field in fields} for row in test]}
    for part, rows in shown.items():
        data.public.json(f"{part}.json", rows, indent=4)
        data.public.pack(f"{part}.zip", f"{part}.json", origin=data.public.contents)
    data.public.csv("sampleSubmission.csv", sample(answers, "request_id", **{OUTCOME: 0}))
    data.private.csv("test.csv", answers)


def _read(data: Dataset, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = data.raw.json(name)
    promise(bool(rows) and all(row.keys() == rows[0].keys() for row in rows), f"Requests of {name} differ in fields.")
    return rows
