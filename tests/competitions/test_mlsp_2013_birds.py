"""mlsp-2013-birds: v2 gives each table of segments its own header."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import digest

ID = "mlsp-2013-birds"
HEADERS = {
    "histogram_of_segments.txt": "rec_id,[histogram of segment features]",
    "segment_features.txt": "rec_id,segment_id,[feature vector]",
    "segment_rectangles.txt": "rec_id,segment_id,min_x,max_x,min_y,max_y",
}


def test_each_table_has_its_own_header_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    for name, header in HEADERS.items():
        first, second = ((made.public / "supplemental_data" / name).read_text().split("\n") for made in (v1, v2))

        assert first[0] == HEADERS["histogram_of_segments.txt"]
        assert second[0] == header
        assert first[1:] == second[1:]


def test_all_else_is_the_same_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    first, second = (digest.tree_digest(made.public, most=10_000) for made in (v1, v2))

    differ = {name for name in first if first[name] != second[name]}
    assert differ == {f"supplemental_data/{name}" for name in list(HEADERS)[1:]}
    assert digest.tree_digest(v1.private) == digest.tree_digest(v2.private)
