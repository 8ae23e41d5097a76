"""The structural schema that Kubernetes wants, made from the types.

Pydantic describes them in JSON Schema; a CustomResourceDefinition takes less of it: no references, no null types, no
`additionalProperties` beside `properties`. A part whose fields all have defaults defaults to {}, and the API server
fills it from the defaults inside.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from orchestrator.api.spec import ExperimentRunSpec
from orchestrator.api.status import ExperimentRunStatus
from orchestrator.api.values import FORM, format_duration

Schema = dict[str, Any]

_KEPT = (
    "description",
    "type",
    "format",
    "enum",
    "pattern",
    FORM,
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "required",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
)


class _Generator(GenerateJsonSchema):
    """Writes defaults as YAML would have them."""

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, timedelta):
            return format_duration(dft)
        if isinstance(dft, BaseModel):
            return {}
        return super().encode_default(dft)


def spec_schema() -> Schema:
    """What a person may write under spec, with its defaults."""
    schema = ExperimentRunSpec.model_json_schema(by_alias=True, schema_generator=_Generator)
    return _simplify(schema, schema["$defs"], has_defaults=True)


def status_schema() -> Schema:
    """What the controller writes under status: fields, and the texts made of them. All may be absent, as it grows."""
    fields = ExperimentRunStatus.model_json_schema(by_alias=True)
    texts = ExperimentRunStatus.model_json_schema(by_alias=True, mode="serialization")
    merged = {**fields, "properties": {**texts["properties"], **fields["properties"]}}
    return _simplify(merged, fields["$defs"], has_defaults=False)


def _simplify(schema: Schema, definitions: dict[str, Schema], *, has_defaults: bool) -> Schema:
    schema = _resolve(schema, definitions)
    simple = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        simple["enum"] = [schema["const"]]
    if schema.get("x-kubernetes-int-or-string"):
        simple["anyOf"] = schema["anyOf"]
    if has_defaults and schema.get("default") not in (None, [], ""):
        simple["default"] = schema["default"]
    if "properties" in schema:
        simple["properties"] = {
            key: _simplify(value, definitions, has_defaults=has_defaults) for key, value in schema["properties"].items()
        }
    elif isinstance(schema.get("additionalProperties"), dict):
        simple["additionalProperties"] = _simplify(
            schema["additionalProperties"], definitions, has_defaults=has_defaults
        )
        simple.pop("default", None)
    if "items" in schema:
        simple["items"] = _simplify(schema["items"], definitions, has_defaults=has_defaults)
    return simple


def _resolve(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """The schema with what it refers to put in its place; a field's own words win over those of its type."""
    if "$ref" in schema:
        inner = definitions[schema["$ref"].rpartition("/")[2]]
    elif "anyOf" in schema and "x-kubernetes-int-or-string" not in schema:
        inner = _only([option for option in schema["anyOf"] if option.get("type") != "null"])
    else:
        return schema
    own = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf")}
    return {**_resolve(inner, definitions), **own}


def _only(options: list[Schema]) -> Schema:
    if len(options) != 1:
        raise ValueError(f"a structural schema has one type for a field, not {options}")
    return options[0]
