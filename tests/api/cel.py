"""Evaluates the small part of CEL that the rules use, so that a rule's two forms can be held against each other."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from orchestrator.api.values import parse_duration


class Text(str):
    def contains(self, part: str) -> bool:
        return part in self


class Cidr:
    def __init__(self, text: str) -> None:
        self.interface = ipaddress.ip_interface(text)

    def masked(self) -> Any:
        return self.interface.network.with_prefixlen

    def __eq__(self, other: object) -> bool:
        return self.interface.with_prefixlen == other

    def __hash__(self) -> int:
        return hash(self.interface)


class Object:
    """A mapping whose keys CEL reads as fields."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, key: str) -> Any:
        return wrap(self._fields[key])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and self._fields == other._fields

    def __hash__(self) -> int:
        return id(self)


def wrap(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Object(value)
    return Text(value) if isinstance(value, str) else value


def is_cidr(text: str) -> bool:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        return False
    return "/" in text


def has(subject: Object, key: str) -> bool:
    return key in subject._fields


def evaluate(expression: str, this: Any, before: Any = None) -> bool:
    """What an API server would find, for `this` as self and `before` as oldSelf."""
    python = re.sub(r"has\(([\w.]+)\.(\w+)\)", r"has(\1, '\2')", expression)
    if ternary := re.fullmatch(r"(.+?) \? (.+?) : (.+)", python):
        python = "({1}) if ({0}) else ({2})".format(*ternary.groups())
    python = re.sub(r"!(?!=)", " not ", python.replace("&&", " and ").replace("||", " or "))
    words = {
        "self": wrap(this),
        "oldSelf": wrap(before),
        "has": has,
        "size": len,
        "duration": parse_duration,
        "isCIDR": is_cidr,
        "cidr": Cidr,
        "true": True,
        "false": False,
    }
    return bool(eval(python.strip(), {"__builtins__": {}}, words))
