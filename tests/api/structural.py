"""The rules that an API server has for the schema of a CustomResourceDefinition, as far as ours could break them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

ALLOWED = {
    "type", "description", "format", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems",
    "maxItems", "maxProperties", "required", "properties", "additionalProperties", "items", "default", "anyOf",
    "x-kubernetes-int-or-string", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-validations",
}  # fmt: skip
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def violations(schema: dict[str, Any], path: str, *, bounded: bool = False) -> Iterator[str]:
    """What an API server would refuse; with `bounded` also what makes the cost of a CEL rule unlimited."""
    for key in set(schema) - ALLOWED:
        yield f"{path}: {key} is not allowed"
    if schema.get("x-kubernetes-int-or-string"):
        if schema.get("anyOf") != INT_OR_STRING or "type" in schema:
            yield f"{path}: int-or-string has the two types and no other"
    elif "anyOf" in schema or "type" not in schema:
        yield f"{path}: must have one type"
    if "properties" in schema and "additionalProperties" in schema:
        yield f"{path}: properties and additionalProperties exclude each other"
    if schema.get("type") == "object" and "properties" not in schema and "additionalProperties" not in schema:
        yield f"{path}: unknown fields would be dropped"
    if schema.get("type") == "array" and "items" not in schema:
        yield f"{path}: a list needs items"
    if bounded:
        yield from _unbounded(schema, path)
    yield from _list_type(schema, path)
    yield from _default(schema, path)
    for key in schema.get("required", ()):
        if key not in schema.get("properties", {}):
            yield f"{path}: requires {key}, which it does not have"
    for key, inner in schema.get("properties", {}).items():
        yield from violations(inner, f"{path}.{key}", bounded=bounded)
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from violations(schema[key], f"{path}.{key}", bounded=bounded)


def _unbounded(schema: dict[str, Any], path: str) -> Iterator[str]:
    if schema.get("type") == "string" and not ({"maxLength", "enum"} & set(schema)):
        yield f"{path}: a text without maxLength"
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield f"{path}: a list without maxItems"
    if "additionalProperties" in schema and "maxProperties" not in schema:
        yield f"{path}: a mapping without maxProperties"


def _list_type(schema: dict[str, Any], path: str) -> Iterator[str]:
    kind = schema.get("x-kubernetes-list-type")
    if kind == "set" and schema["items"]["type"] not in ("string", "integer"):
        yield f"{path}: a set holds scalars"
    if kind == "map":
        for key in schema["x-kubernetes-list-map-keys"]:
            if key not in schema["items"].get("required", ()):
                yield f"{path}: key {key} of its entries must be required"


def _default(schema: dict[str, Any], path: str) -> Iterator[str]:
    if "default" not in schema:
        return
    default = schema["default"]
    if schema.get("type") == "object" and (default != {} or schema.get("required")):
        yield f"{path}: {{}} has to be a sound default"
    if "enum" in schema and default not in schema["enum"]:
        yield f"{path}: default {default} is not one of its values"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], default):
        yield f"{path}: default {default} does not match its pattern"
