"""Lists in which nothing may stand twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_after_validator_function


@dataclass(frozen=True)
class ListedOnce:
    """Of a list: no two entries with the same name. An API server holds to it by the list's type."""

    name_of: Callable[[Any], str]
    key: str | None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        if self.key is None:
            return {**handler(schema), "x-kubernetes-list-type": "set"}
        return {**handler(schema), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [self.key]}

    def _check(self, entries: tuple[Any, ...]) -> tuple[Any, ...]:
        names = [self.name_of(entry) for entry in entries]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise PydanticCustomError(
                "value", "{names} listed more than once; keep one", {"names": ", ".join(repeated)}
            )
        return entries


def listed_once(name_of: Callable[[Any], str], key: str | None = None) -> ListedOnce:
    """Refuse a list that names the same thing twice; `key` is the key of the name where entries are mappings."""
    return ListedOnce(name_of, key)
