"""Values that YAML writes as text: durations, amounts of resources, money, names. Each says how to write it."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError

DURATION = r"^([0-9]{1,6}h)?([0-9]{1,7}m)?([0-9]{1,9}s)?([0-9]{1,12}ms)?$"
"""So few digits that no sum of the parts is longer than CEL's longest duration, 292 years."""
_DURATION_UNITS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_DURATION_MAX_LENGTH = 20
A_DURATION = "a duration such as 24h, 90m or 30s"
LONGER_THAN_ZERO = "a duration longer than zero, such as 24h, 90m or 30s"

_NUMBER = r"([0-9]*[1-9][0-9]*(\.[0-9]+)?|[0-9]*\.[0-9]*[1-9][0-9]*)"
CPU = rf"^{_NUMBER}m?$"
BYTES = rf"^{_NUMBER}([kMGTP]|[KMGTP]i)$"
MONEY = r"^[0-9]+(\.[0-9]+)?$"
_QUANTITY_UNITS = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    "k": Decimal(1000),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("MGTP", start=2)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTP", start=1)},
}

COMPETITION_ID = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
LABEL_HINT = "a name of at most 63 small letters, digits and dashes, such as aide-lite"
DNS_LABEL = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
DNS_NAME = r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"
ONE_LINE = r"^\S(.*\S)?$"
ENV_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"

FORM = "x-form"
"""In a field's schema: what to write where its pattern does not match."""


def must_write(what: str, found: object) -> PydanticCustomError:
    """The refusal of a value, as what to write instead."""
    return PydanticCustomError("value", "write {what}, not {found}", {"what": what, "found": show(found)})


def show(found: object) -> str:
    """A value as a message quotes it: on one line, cut to a length that a line bears."""
    text = ("true" if found else "false") if isinstance(found, bool) else repr(found)
    return text if len(text) <= 60 else f"{text[:57]}..."


def parse_duration(text: str) -> timedelta:
    """The time that `24h`, `1h30m`, `45s` or `500ms` stands for; ValueError for anything else."""
    if not text or len(text) > _DURATION_MAX_LENGTH or not re.fullmatch(DURATION, text):
        raise ValueError(f"a duration is written as 24h, 90m or 30s, not {show(text)}")
    parts = re.findall(r"([0-9]+)(ms|[hms])", text)
    return timedelta(milliseconds=sum(int(number) * _DURATION_UNITS[unit] for number, unit in parts))


def format_duration(duration: timedelta) -> str:
    """The shortest text that `parse_duration` reads back, such as `24h` or `1h30m`; finer than a millisecond is cut."""
    rest = duration // timedelta(milliseconds=1)
    parts = []
    for unit, size in _DURATION_UNITS.items():
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def parse_quantity(text: str) -> Decimal:
    """The number that a resource amount such as `500m`, `36` or `440Gi` stands for: CPUs or bytes."""
    match = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", text)
    if match is None or match[2] not in _QUANTITY_UNITS:
        raise ValueError(f"an amount is written as 36, 500m or 440Gi, not {show(text)}")
    return Decimal(match[1]) * _QUANTITY_UNITS[match[2]]


def _read_duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        duration = value
    else:
        try:
            duration = parse_duration(value if isinstance(value, str) else "")
        except (ValueError, OverflowError):
            raise must_write(A_DURATION, value) from None
    if duration <= timedelta(0):
        raise must_write(LONGER_THAN_ZERO, value)
    return duration


def _text(pattern: str, what: str, max_length: int, *, numbers: bool = False) -> BeforeValidator:
    """Text of one form; `numbers` lets a bare YAML number stand for its digits."""

    def read(value: Any) -> str:
        text = str(value) if numbers and type(value) is int else value
        if not isinstance(text, str) or not 0 < len(text) <= max_length or not re.fullmatch(pattern, text):
            raise must_write(what, value)
        return text

    return BeforeValidator(read)


def _schema(pattern: str, what: str, max_length: int, *, numbers: bool = False, minimum: int = 1) -> WithJsonSchema:
    """The same for a schema; `FORM` has what to write, for `schema_in_words`."""
    form = {"pattern": pattern, FORM: f"write {what}", "maxLength": max_length}
    if numbers:
        either = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
        return WithJsonSchema({**either, **form, "minimum": minimum})
    return WithJsonSchema({"type": "string", **form, "minLength": 1})


def _form(
    pattern: str, what: str, max_length: int, *, numbers: bool = False, minimum: int = 1
) -> tuple[BeforeValidator, WithJsonSchema]:
    """Text of one form, for us and for an API server."""
    return (
        _text(pattern, what, max_length, numbers=numbers),
        _schema(pattern, what, max_length, numbers=numbers, minimum=minimum),
    )


Duration = Annotated[
    timedelta,
    BeforeValidator(_read_duration),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": DURATION,
            FORM: f"write {A_DURATION}",
            "minLength": 2,
            "maxLength": _DURATION_MAX_LENGTH,
            "x-kubernetes-validations": [
                {"rule": "duration(self) > duration('0s')", "message": f"write {LONGER_THAN_ZERO}"}
            ],
        }
    ),
]
Cpu = Annotated[str, *_form(CPU, "a number of CPUs such as 36 or 500m", 16, numbers=True)]
Bytes = Annotated[str, *_form(BYTES, "an amount with its unit, such as 440Gi or 512Mi", 20)]
Money = Annotated[str, *_form(MONEY, "an amount in US dollars such as '50' or '12.50'", 16, numbers=True, minimum=0)]
CompetitionId = Annotated[
    str, *_form(COMPETITION_ID, "a competition id such as spaceship-titanic (`mlectl competitions` lists them)", 63)
]
Label = Annotated[str, *_form(DNS_LABEL, LABEL_HINT, 63)]
ObjectName = Annotated[
    str, *_form(DNS_NAME, "the name of a Kubernetes object: small letters, digits, dashes and dots", 253)
]
EnvName = Annotated[str, *_form(ENV_NAME, "the name of an environment variable, such as OPENAI_MODEL", 128)]


Text = Annotated[str, Strict(), Field(min_length=1, pattern=ONE_LINE)]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
