"""icecube-neutrinos-in-deep-ice: tables are written block by block, whatever the block."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import digest
import pandas as pd
import pytest

import preparers
from preparers.competitions import icecube_neutrinos_in_deep_ice as module

ID = "icecube-neutrinos-in-deep-ice"


def test_small_blocks_give_the_same_tables(
    prepared: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = prepared(ID)
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)

    preparers.prepare(ID, made.raw, tmp_path / "public", tmp_path / "private")

    assert digest.tree_digest(tmp_path / "public") == digest.tree_digest(made.public)
    assert digest.tree_digest(tmp_path / "private") == digest.tree_digest(made.private)


def test_an_event_in_batches_of_both_sides_stops_preparation(prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = prepared(ID)
    raw = tmp_path / "raw"
    (raw / "train").mkdir(parents=True)
    for file in (made.raw / "train").iterdir():
        (raw / "train" / file.name).symlink_to(file)
    (raw / "sensor_geometry.csv").symlink_to(made.raw / "sensor_geometry.csv")
    meta = pd.read_parquet(made.raw / "train_meta.parquet")
    held_back = pd.read_csv(made.private / "test.csv")["event_id"]
    kept = meta.index[~meta["event_id"].isin(held_back)]
    meta.loc[kept[0], "event_id"] = held_back[0]
    meta.to_parquet(raw / "train_meta.parquet")

    with pytest.raises(preparers.PreparationError, match="events"):
        preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private")
