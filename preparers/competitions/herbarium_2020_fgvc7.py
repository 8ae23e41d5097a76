"""Herbarium 2020: pressed plants; of each species a fifth is held back, numbered in a random order.

v1 reads the metadata as Latin-1, which garbles letters beyond ASCII; v2 reads UTF-8. Bytes that are not UTF-8 are
Latin-1 in v2 as well, each for itself, for the rest of the file may well be in order.
"""

import codecs
import json
from typing import Any

from preparers.toolkit import Dataset, prepare_sheets

KEYS = ("annotations", "categories", "images", "info", "licenses", "regions")


def prepare(data: Dataset) -> None:
    prepare_sheets(data, "nybg2020/", _metadata(data), keys=KEYS)


def _metadata(data: Dataset) -> Any:
    name = "nybg2020/train/metadata.json"
    if data.version == "v1":
        return data.raw.json(name, encoding="latin-1")
    with data.raw.open(name) as file:
        return json.loads(file.read().decode("utf-8", errors="latin-1"))


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "only used to decode"
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("latin-1", _as_latin_1)
