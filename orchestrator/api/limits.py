"""A schema's limits as rules with our own words.

An API server words a passed limit itself ("should match '^[0-9]…'"). As a CEL rule the same limit carries the sentence
that `mlectl` says of a file, so a person reads one text wherever the mistake is found. Limits of length stay as they
are: they bound what a rule may cost. So do types, required keys and lists without repeats, which no rule can stand for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestrator.api.schema import Schema
from orchestrator.api.values import FORM
from orchestrator.api.wanted import A_TEXT, ON_ONE_LINE, at_least, at_least_items, at_most, one_of

RULES = "x-kubernetes-validations"
_WORDED = ("enum", "pattern", "minimum", "maximum", "minLength", "minItems", FORM)
_LONGEST_CHOICE = 63
"""What is compared with the words of a choice may be so long; the choices themselves are shorter."""


def in_words(schema: Schema) -> Schema:
    """The same schema, refusing the same values; limits that a rule can stand for are rules."""
    worded: Schema = {key: value for key, value in schema.items() if key not in (*_WORDED, RULES)}
    if "enum" in schema:
        worded["maxLength"] = _LONGEST_CHOICE
        worded["description"] = _with_choices(schema.get("description", ""), schema["enum"])
    if rules := list(_rules(schema)):
        worded[RULES] = rules
    if "properties" in schema:
        worded["properties"] = {key: in_words(inner) for key, inner in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            worded[key] = in_words(schema[key])
    return worded


def _rules(schema: Schema) -> Iterator[dict[str, str]]:
    """The limits of one value, then its own rules: where it has a form, these are asked of well-formed values only."""
    form = _form(schema)
    if form:
        yield _rule(schema, form, schema.get(FORM, ON_ONE_LINE))
    elif RULES not in schema:
        yield from (_rule(schema, *bound) for bound in _bounds(schema))
    for rule in schema.get(RULES, ()):
        yield _rule(schema, f"!({form}) || {rule['rule']}" if form else rule["rule"], rule["message"])


def _rule(schema: Schema, rule: str, message: str) -> dict[str, str]:
    """An API server names the type of a refused value and not the value: that is said here, as `values.show` does.

    Not of a number: the cost of writing one as text counts as unlimited.
    """
    if schema.get("x-kubernetes-int-or-string"):
        found = f"(type(self) == int ? string(self) : {_quoted('string(self)')})"
    elif schema["type"] == "string":
        found = _quoted("self")
    else:
        return {"rule": rule, "message": message}
    return {"rule": rule, "message": message, "messageExpression": f'"{message}, not " + {found}'}


def _quoted(text: str) -> str:
    """CEL: a text in quotes, cut to what a line bears. One with line breaks is not quoted: the message stands alone."""
    return f"""(size({text}) > 58 ? "'" + {text}.substring(0, 56) + "..." : "'" + {text} + "'")"""


def _form(schema: Schema) -> str | None:
    if "pattern" not in schema:
        return None
    matches = f"self.matches(r'{schema['pattern']}')"
    if schema.get("x-kubernetes-int-or-string"):
        return f"type(self) == int ? self >= {schema['minimum']} : string(self).matches(r'{schema['pattern']}')"
    return f"size(self) >= {schema['minLength']} && {matches}" if schema.get("minLength", 0) > 1 else matches


def _bounds(schema: Schema) -> Iterator[tuple[str, str]]:
    """Rules with their messages."""
    if "enum" in schema:
        yield f"self in {_listed(schema['enum'])}", one_of(schema["enum"])
    if "minimum" in schema:
        yield f"self >= {schema['minimum']}", at_least(schema["minimum"])
    if "maximum" in schema:
        yield f"self <= {schema['maximum']}", at_most(schema["maximum"])
    if "minLength" in schema:
        yield f"size(self) >= {schema['minLength']}", A_TEXT
    if "minItems" in schema:
        yield f"size(self) >= {schema['minItems']}", at_least_items(schema["minItems"])


def _listed(choices: list[Any]) -> str:
    return f"[{', '.join(repr(str(choice)) for choice in choices)}]"


def _with_choices(description: str, choices: list[str]) -> str:
    """Without an enum `kubectl explain` knows the choices from the description alone."""
    if all(choice in description for choice in choices):
        return description
    words = one_of(choices)
    return f"{description} {words[0].upper()}{words[1:]}."
