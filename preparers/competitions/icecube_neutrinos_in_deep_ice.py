"""IceCube: pulses of a neutrino telescope in batches of events; one batch in ten is held back. v2 is the same.

The table of events has 131 million rows: it is read block by block and never held as a whole. Parquet files are as
published in content and not in bytes, which depend on the program that writes them.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from preparers.toolkit import Dataset, promise, split_items

META = "train_meta.parquet"
ANGLES = ["azimuth", "zenith"]
ROWS_AT_ONCE = 1 << 20


def prepare(data: Dataset) -> None:
    batches = dict.fromkeys(
        batch for block in _blocks(data, "batch_id") for batch in block["batch_id"].unique().to_pylist()
    )
    train, test = split_items(list(batches), test=0.1)

    _check_events(data, test)
    _write_tables(data, test)
    data.public.copy("sensor_geometry.csv")
    _take_pulses(data, dict.fromkeys(train, "train") | dict.fromkeys(test, "test"))


def _blocks(data: Dataset, *columns: str) -> Iterator[Any]:
    """The table of events in blocks of rows, all columns or some."""
    file = pq.ParquetFile(data.raw.path(META))
    for block in file.iter_batches(ROWS_AT_ONCE, columns=list(columns) or None):
        yield pa.Table.from_batches([block]).replace_schema_metadata(None)


def _is_test(block: Any, test: list[int]) -> Any:
    return pc.is_in(block["batch_id"], value_set=pa.array(test, type=block["batch_id"].type))


def _check_events(data: Dataset, test: list[int]) -> None:
    """No event is in a batch of each side."""
    held_back = [block.filter(_is_test(block, test))["event_id"] for block in _blocks(data, "batch_id", "event_id")]
    events = np.sort(np.concatenate([column.to_numpy() for column in held_back]))
    for block in _blocks(data, "batch_id", "event_id"):
        kept = block.filter(pc.invert(_is_test(block, test)))["event_id"].to_numpy()
        both = np.searchsorted(events, kept, side="right") > np.searchsorted(events, kept, side="left")
        promise(not both.any(), f"{both.sum():,} events or more are in a train batch and in a test batch.")


def _write_tables(data: Dataset, test: list[int]) -> None:
    schema = pq.read_schema(data.raw.path(META)).remove_metadata()
    known = pa.schema([field for field in schema if field.name not in ANGLES])
    with ExitStack() as open_files:
        train_meta = open_files.enter_context(pq.ParquetWriter(data.public.path("train_meta.parquet"), schema))
        test_meta = open_files.enter_context(pq.ParquetWriter(data.public.path("test_meta.parquet"), known))
        answers, guesses = (
            open_files.enter_context(target.path(name).open("w", encoding="utf-8", newline=""))
            for target, name in ((data.private, "test.csv"), (data.public, "sample_submission.csv"))
        )
        for file in (answers, guesses):
            file.write(",".join(["event_id", *ANGLES]) + "\n")
        for block in _blocks(data):
            is_test = _is_test(block, test)
            held_back = block.filter(is_test)
            train_meta.write_table(block.filter(pc.invert(is_test)))
            test_meta.write_table(held_back.select(known.names))
            rows = held_back.select(["event_id", *ANGLES]).to_pandas()
            rows.to_csv(answers, index=False, header=False, lineterminator="\n")
            rows.assign(azimuth=1, zenith=1).to_csv(guesses, index=False, header=False, lineterminator="\n")


def _take_pulses(data: Dataset, part_of: dict[int, str]) -> None:
    """The files of pulses; the number after a name's last underscore is its batch."""
    names = data.raw.names("train/*.parquet")
    batches = [int(PurePosixPath(name).stem.rpartition("_")[2]) for name in names]
    promise(sorted(batches) == sorted(part_of), f"train/ must hold one file for each of the {len(part_of):,} batches.")
    for folder in ("train", "test"):
        data.public.make_folder(folder)
    targets = [f"{part_of[batch]}/{PurePosixPath(name).name}" for name, batch in zip(names, batches, strict=True)]
    data.public.take(zip(targets, names, strict=True))
