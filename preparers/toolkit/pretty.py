"""JSON documents as `json.dump(document, indent=4, sort_keys=True)` writes them, without its time and memory.

Python has no quick encoder for indented JSON, and makes a text of every bracket. Here the long lists of a document are
written entry by entry, and plain entries by the quick encoder, with line ends for separators.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEPTH = 4


def write_pretty(path: Path, document: dict[str, Any] | list[Any]) -> None:
    """Write a list, or an object of lists and other values: indent 4, keys sorted at every level, ASCII, no newline."""
    with path.open("w", encoding="ascii", newline="") as file:
        if not document:
            file.write(json.dumps(document))
        elif isinstance(document, list):
            file.writelines(_list_pieces(document, 0))
        else:
            file.writelines(_object_pieces(document))


def _object_pieces(document: dict[str, Any]) -> Iterator[str]:
    before = "{\n"
    for key in sorted(document):
        yield f"{before}{' ' * DEPTH}{json.dumps(key)}: "
        value = document[key]
        if isinstance(value, list) and value:
            yield from _list_pieces(value, DEPTH)
        else:
            yield _indented(value, DEPTH)
        before = ",\n"
    yield "\n}"


def _list_pieces(entries: list[Any], depth: int) -> Iterator[str]:
    inner = depth + DEPTH
    plain = json.JSONEncoder(sort_keys=True, separators=(f",\n{' ' * (inner + DEPTH)}", ": "))
    before = "["
    for entry in entries:
        if isinstance(entry, dict) and entry and not any(isinstance(v, dict | list | tuple) for v in entry.values()):
            fields = plain.encode(entry)[1:-1]
            yield f"{before}\n{' ' * inner}{{\n{' ' * (inner + DEPTH)}{fields}\n{' ' * inner}}}"
        else:
            yield f"{before}\n{' ' * inner}{_indented(entry, inner)}"
        before = ","
    yield f"\n{' ' * depth}]"


def _indented(value: Any, depth: int) -> str:
    return json.dumps(value, indent=DEPTH, sort_keys=True).replace("\n", f"\n{' ' * depth}")
