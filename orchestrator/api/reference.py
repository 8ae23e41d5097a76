"""The reference page of ExperimentRun: every field with its type, default and meaning, and every rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from orchestrator.api.changes import CHANGEABLE, key_of
from orchestrator.api.schema import Schema, spec_schema, status_schema
from orchestrator.api.types import API_VERSION, KIND
from orchestrator.api.values import BYTES, COMPETITION_ID, CPU, DURATION, MONEY

_HEAD = f"""\
# ExperimentRun

One experiment: an agent on a set of competitions, each run with several seeds, graded and reported. This page is made
from the types by `make docs`; `mlectl run FILE` and the API server hold a file to the same rules.

```yaml
apiVersion: {API_VERSION}
kind: {KIND}
metadata: {{name: aide-lite}}
spec:
  competitions: {{split: lite}}
  agent: {{name: aide, image: registry.example/aide:1.2}}
```

What is left out has the value of the benchmark's published setting. A departure from it is allowed and is printed
beside every score. Once an experiment has started, only {", ".join(f"`{key_of(name)}`" for name in CHANGEABLE)} can
change.

A *duration* is written as `24h`, `90m`, `1h30m` or `45s`; an *amount* as `440Gi` or `512Mi`; a *number of CPUs* as `36`
or `500m`.
"""

_NAMES_OF_PATTERNS = {
    DURATION: "duration",
    CPU: "number of CPUs",
    BYTES: "amount",
    MONEY: "US dollars",
    COMPETITION_ID: "competition id",
}


def reference_page() -> str:
    """docs/reference/experimentrun.md."""
    spec, status = _Pages(shows_defaults=True), _Pages(shows_defaults=False)
    return "\n".join([_HEAD, *spec.sections("spec", spec_schema()), *status.sections("status", status_schema())])


class _Pages:
    """Sections of parts, one after the other; a part that was described before is linked to and not described again."""

    def __init__(self, *, shows_defaults: bool) -> None:
        self._shows_defaults = shows_defaults
        self._places: list[tuple[Schema, str]] = []

    def sections(self, path: str, schema: Schema) -> Iterator[str]:
        """A section for a part, then one for each part inside it."""
        if self._place_of(schema) is None:
            self._places.append((schema["properties"], path))
        new = []
        for key, suffix, part in _parts(schema):
            if self._place_of(part) is None:
                new.append((f"{path}.{key}{suffix}", part))
                self._places.append((part["properties"], new[-1][0]))
        yield self._section(path, schema)
        for place, part in new:
            yield from self.sections(place, part)

    def _place_of(self, part: Schema) -> str | None:
        return next((place for properties, place in self._places if properties == part["properties"]), None)

    def _section(self, path: str, schema: Schema) -> str:
        head = ("Field", "Type", "Default", "Meaning") if self._shows_defaults else ("Field", "Type", "Meaning")
        lines = [f"## {path}", "", schema.get("description", ""), "", _row(head), _row("---" for _ in head)]
        for key, field in schema["properties"].items():
            cells = [f"`{key}`", self._type(field)]
            if self._shows_defaults:
                cells.append("required" if key in schema.get("required", ()) else _default(field))
            lines.append(_row([*cells, field.get("description", "")]))
        rules = [f"- {rule['message'][0].upper()}{rule['message'][1:]}." for rule in _rules(schema)]
        return "\n".join([*lines, "", *rules, *([""] if rules else [])])

    def _type(self, field: Schema) -> str:
        if "items" in field:
            return f"list of {self._type(field['items'])}"
        if "additionalProperties" in field:
            return f"mapping to {self._type(field['additionalProperties'])}"
        if "properties" in field:
            place = self._place_of(field) or ""
            return f"[{place}](#{re.sub(r'[^a-z0-9]', '', place.lower())})"
        if "enum" in field:
            return ", ".join(f"`{choice}`" for choice in field["enum"])
        if field.get("pattern") in _NAMES_OF_PATTERNS:
            return _NAMES_OF_PATTERNS[field["pattern"]]
        if field.get("format") == "date-time":
            return "time"
        return _number(field) or {"string": "text", "boolean": "true or false"}[field["type"]]


def _parts(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """The parts inside a part, by key, each with how a path goes into it."""
    for key, field in schema["properties"].items():
        suffix, inner = _inner(field)
        if "properties" in inner:
            yield key, suffix, inner


def _inner(field: Schema) -> tuple[str, Schema]:
    if "items" in field:
        return "[]", field["items"]
    if "additionalProperties" in field:
        return ".*", field["additionalProperties"]
    return "", field


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _rules(schema: Schema) -> list[dict[str, str]]:
    rules: list[dict[str, str]] = schema.get("x-kubernetes-validations", [])
    return rules


def _default(field: Schema) -> str:
    if "default" not in field or field["default"] == {}:
        return ""
    value = field["default"]
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _number(field: Schema) -> str | None:
    if field.get("type") not in ("integer", "number"):
        return None
    name = "whole number" if field["type"] == "integer" else "number"
    if "minimum" in field and "maximum" in field:
        return f"{name}, {field['minimum']} to {field['maximum']}"
    return f"{name}, at least {field['minimum']}" if "minimum" in field else name
