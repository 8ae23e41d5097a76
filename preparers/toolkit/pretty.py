"""JSON documents as `json.dump(document, indent=4, sort_keys=True)` writes them, without its time and memory.

Python has no quick encoder for indented JSON, and makes a text of every bracket. Here the long lists of a document are
written block by block, and plain entries by the quick encoder, with line ends for separators.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

DEPTH = 4
BLOCK = 4096
NESTED = {dict, list, tuple}


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
    pad, inner_pad = " " * inner, " " * (inner + DEPTH)
    before = "["
    for is_plain, run in groupby(entries, _is_plain):
        while block := list(islice(run, BLOCK)):
            if is_plain:
                # no text has a line end in it, so this is where entries meet
                texts = plain.encode(block)[2:-2].replace(f"}},\n{inner_pad}{{", f"\n{pad}}},\n{pad}{{\n{inner_pad}")
                yield f"{before}\n{pad}{{\n{inner_pad}{texts}\n{pad}}}"
            else:
                yield before + ",".join(f"\n{pad}{_indented(entry, inner)}" for entry in block)
            before = ","
    yield f"\n{' ' * depth}]"


def _is_plain(entry: Any) -> bool:
    return isinstance(entry, dict) and bool(entry) and not any(type(value) in NESTED for value in entry.values())


def _indented(value: Any, depth: int) -> str:
    return json.dumps(value, indent=DEPTH, sort_keys=True).replace("\n", f"\n{' ' * depth}")
