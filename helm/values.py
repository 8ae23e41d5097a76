"""The chart's values as its own files tell them: which there are by values.schema.json, defaults and meaning by
values.yaml. A value is a leaf of the schema; what has keys of its own there is a section."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parent / "mlectl"
KEY = re.compile(r"^(?P<indent> *)(?P<key>[A-Za-z]+):(?: |$)")
HELMS_OWN = "global"
"""A parent chart's values for all of its charts: allowed, as Helm hands it on, and read by nothing here."""


@dataclass(frozen=True)
class Value:
    path: str
    default: Any
    comment: str


@dataclass(frozen=True)
class Section:
    path: str
    comment: str
    values: tuple[Value, ...]


def sections(chart: Path = CHART) -> list[Section]:
    """Every section of the chart, in the order of values.yaml's schema."""
    schema = json.loads((chart / "values.schema.json").read_text())
    text = (chart / "values.yaml").read_text()
    return list(_sections("", schema, yaml.safe_load(text), comments(text)))


def _sections(path: str, schema: Mapping[str, Any], defaults: Any, told: Mapping[str, str]) -> Iterator[Section]:
    inside = {key: node for key, node in schema["properties"].items() if join(path, key) != HELMS_OWN}
    leaves = [key for key, node in inside.items() if "properties" not in node]
    if leaves:
        values = (Value(join(path, key), defaults[key], told.get(join(path, key), "")) for key in leaves)
        yield Section(path, told.get(path, ""), tuple(values))
    for key, node in inside.items():
        if key not in leaves:
            yield from _sections(join(path, key), node, defaults[key], told)


def keys(defaults: Mapping[str, Any], schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of values.yaml, as deep as the schema goes."""
    for key, default in defaults.items():
        node = schema["properties"].get(key, {})
        if "properties" in node:
            yield from keys(default, node, join(path, key))
        else:
            yield join(path, key)


def comments(text: str) -> dict[str, str]:
    """The comment right above each key, by the key's path."""
    found: dict[str, str] = {}
    above: list[str] = []
    stack: list[str] = []
    for line in text.splitlines():
        key = KEY.match(line)
        if line.lstrip().startswith("#"):
            above.append(line.strip().removeprefix("#").strip())
        elif key:
            stack = [*stack[: len(key["indent"]) // 2], key["key"]]
            found[".".join(stack)] = " ".join(above)
            above = []
        else:
            above = []
    return found


def join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
