"""What every class of the ExperimentRun types is made of: frozen, camelCase outside, rules in the words a person reads.

A rule stands on the class it is about, twice: as the CEL expression that an API server evaluates, and as the Python
predicate that says the same here. Both see the part as it was written, with defaults filled in, and one message
serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

Written = Mapping[str, Any]
"""A part as its YAML has it, keys in camelCase, empty values left out and simple defaults filled in."""


@dataclass(frozen=True)
class Rule:
    """Something that must hold between the fields of a part."""

    cel: str
    message: str
    """What to write; it follows the path of the part, as in `spec.competitions: name either a split or ids`."""
    holds: Callable[[Written], bool]


class Model(BaseModel):
    """Frozen, attributes in snake_case, keys in camelCase."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def to_dict(self) -> dict[str, Any]:
        """The form that is written as YAML or JSON: camelCase keys, plain values, nothing that is not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class Part(Model):
    """A part of what a person writes, with its rules. All mistakes come out at once, broken rules among them."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _check_rules(cls, data: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        broken: list[InitErrorDetails] = []
        if cls.rules and isinstance(data, Mapping):
            written = cls._as_written(data)
            broken = [_describe(rule, data) for rule in cls.rules if not rule.holds(written)]
        if not broken:
            return validate(data)
        try:
            validate(data)
        except ValidationError as error:
            broken = [*_repeat(error), *broken]
        raise ValidationError.from_exception_data(cls.__name__, broken)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        reference = handler(core)
        if cls.rules:
            schema = handler.resolve_ref_schema(reference)
            schema["x-kubernetes-validations"] = [{"rule": rule.cel, "message": rule.message} for rule in cls.rules]
        return reference

    @classmethod
    def _as_written(cls, data: Mapping[Any, Any]) -> Written:
        defaults = {to_camel(name): info.default for name, info in cls.model_fields.items() if not info.is_required()}
        given = {to_camel(key) if key in cls.model_fields else key: value for key, value in data.items()}
        return {key: value for key, value in {**defaults, **given}.items() if value is not None}


def _describe(rule: Rule, data: object) -> InitErrorDetails:
    return InitErrorDetails(type=PydanticCustomError("rule", "{message}", {"message": rule.message}), input=data)


def _repeat(error: ValidationError) -> Iterator[InitErrorDetails]:
    """The mistakes of a validation, in the form that another one can be raised with; `ctx` keeps what each knows."""
    for item in error.errors(include_url=False):
        context = item.get("ctx", {})
        yield InitErrorDetails(
            type=PydanticCustomError(
                item["type"], "{message}", {"message": item["msg"], "ctx": context.get("ctx", context)}
            ),
            loc=item["loc"],
            input=item["input"],
        )
