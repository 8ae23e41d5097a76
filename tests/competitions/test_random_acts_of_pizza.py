"""random-acts-of-pizza: v2's test requests do not name the giver."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from typing import Any

import pandas as pd

ID = "random-acts-of-pizza"
GIVER = "giver_username_if_known"


def test_the_giver_gives_labels_away_in_v1_and_is_not_named_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    outcomes = pd.read_csv(v1.private / "test.csv", index_col="request_id")["requester_received_pizza"]
    known = [row["request_id"] for row in json.loads((v1.public / "test.json").read_text()) if row[GIVER] != "N/A"]

    assert known
    assert outcomes[known].eq(1).all()
    with zipfile.ZipFile(v2.public / "test.zip") as archive:
        packed = archive.read("test.json")
    assert packed == (v2.public / "test.json").read_bytes()
    assert GIVER.encode() not in packed


def test_nothing_else_is_left_out_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    first, second = (json.loads((made.public / "test.json").read_text()) for made in (v1, v2))

    assert [{key: value for key, value in row.items() if key != GIVER} for row in first] == second
    for name in ("train.json", "sampleSubmission.csv"):
        assert (v1.public / name).read_bytes() == (v2.public / name).read_bytes()
    assert (v1.private / "test.csv").read_bytes() == (v2.private / "test.csv").read_bytes()
