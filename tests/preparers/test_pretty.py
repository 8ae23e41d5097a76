"""Indented JSON: the bytes of Python's own encoder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preparers.toolkit import write_pretty

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=15,
)


@settings(deadline=None)
@given(document=st.dictionaries(st.text(), values, max_size=4) | st.lists(values, max_size=4))
def test_any_document_is_written_as_json_dump_writes_it(
    document: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "pretty.json"

    write_pretty(path, document)

    assert path.read_bytes() == json.dumps(document, indent=4, sort_keys=True).encode()


def test_lists_of_plain_and_of_nested_entries(tmp_path: Path) -> None:
    document = {
        "images": [{"b": 1, "a": 'é\n"'}, {}, {"nested": {"z": [], "y": [1]}}, [], 3],
        "info": {"year": 2020, "by": ["one", "two"]},
        "nothing": [],
    }

    write_pretty(tmp_path / "pretty.json", document)

    assert (tmp_path / "pretty.json").read_text() == json.dumps(document, indent=4, sort_keys=True)
