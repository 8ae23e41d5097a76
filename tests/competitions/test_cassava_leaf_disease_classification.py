"""cassava-leaf-disease-classification: v2's test records carry no label, and labels other than 0 to 4 are rejected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from preparers.toolkit.crc32c import crc32c
from preparers.toolkit.tfrecords import CHECKSUM, LENGTH, read_features, read_records

ID = "cassava-leaf-disease-classification"


def records(made: Any, part: str) -> list[dict[str, bytes]]:
    found = []
    for path in sorted((made.public / f"{part}_tfrecords").iterdir()):
        with path.open("rb") as file:
            found += [read_features(record) for record in read_records(file)]
    assert found
    return found


def test_test_records_carry_the_label_in_v1_and_not_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert all("target" in record for record in records(v1, "test"))
    assert not any("target" in record for record in records(v2, "test"))


def test_v2_keeps_all_else_in_the_records(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    without = [{name: f for name, f in record.items() if name != "target"} for record in records(v1, "test")]
    assert records(v2, "test") == without
    assert records(v2, "train") == records(v1, "train")


def test_checksums_of_v2_are_right(prepared: Callable[..., Any]) -> None:
    path = min((prepared(ID, version="v2").public / "test_tfrecords").iterdir())
    data, place = path.read_bytes(), 0
    while place < len(data):
        size = LENGTH.unpack_from(data, place)[0]
        for start, length in ((place, LENGTH.size), (place + LENGTH.size + CHECKSUM.size, size)):
            crc = crc32c(data[start : start + length])
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
            assert CHECKSUM.unpack_from(data, start + length)[0] == masked
        place += LENGTH.size + 2 * CHECKSUM.size + size


@pytest.mark.parametrize("name", ["quirk_unknown_class", "quirk_words_all_wrong"])
def test_labels_that_are_no_diseases_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"
