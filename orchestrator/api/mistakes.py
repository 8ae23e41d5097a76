"""Puts a refused value into words: what is wrong with it is less use than what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from orchestrator.api.values import show
from orchestrator.api.wanted import A_TEXT, ON_ONE_LINE, at_least, at_least_items, at_most, one_of

Context = Mapping[str, Any]


def explain(error: ErrorDetails, root: type[BaseModel]) -> str:
    """What to write in place of a value that `root` refused."""
    context: Context = error.get("ctx", {})
    context = context.get("ctx", context)
    kind, found = error["type"], error["input"]
    if kind == "missing":
        return _missing(error["loc"], root)
    if kind == "extra_forbidden":
        return unknown_key(str(error["loc"][-1]), error["loc"][:-1], root)
    if found is None and kind not in ("rule", "value"):
        return "empty; write a value or leave the key out"
    sentence = _SENTENCES.get(kind)
    return sentence(found, context) if sentence else str(error["msg"])


def unknown_key(key: str, place: tuple[int | str, ...], root: type[BaseModel]) -> str:
    """That a key is not known, with the one that was probably meant: nearby, or of the same name elsewhere."""
    part = part_at(root, place)
    known = [] if part is None else keys_of(part)
    elsewhere = [path for path in _all_paths(root) if _shape_of(path.rpartition(".")[2]) == _shape_of(key)]
    near = nearest(key, known, likeness=0.8 if elsewhere else 0.6)
    if near or elsewhere:
        return f"not a known key here; did you mean {near or elsewhere[0]}?"
    return f"not a known key; known are {', '.join(known)}" if known else "not a known key; leave it out"


def nearest(word: str, known: Collection[str], likeness: float = 0.6) -> str | None:
    """The known word that is most like this one, if one is."""
    by_shape = {_shape_of(entry): entry for entry in known}
    found = difflib.get_close_matches(_shape_of(word), by_shape, n=1, cutoff=likeness)
    return by_shape[found[0]] if found else None


def _shape_of(word: str) -> str:
    """A word without what people mix up: capitals, dashes, underscores."""
    return word.lower().replace("_", "").replace("-", "")


def keys_of(part: type[BaseModel]) -> list[str]:
    """The keys of a part, as YAML writes them."""
    return [info.alias or name for name, info in part.model_fields.items()]


def part_at(root: type[BaseModel], place: tuple[int | str, ...]) -> type[BaseModel] | None:
    """The class of the part at a place such as ("spec", "agent", "env", 0), or None if it is not a part."""
    part: type[BaseModel] | None = root
    for step in place:
        if isinstance(step, int):
            continue
        if part is None:
            return None
        found = [info for name, info in part.model_fields.items() if step in (info.alias, name)]
        part = _part_in(found[0].annotation) if found else None
    return part


def _part_in(annotation: Any) -> type[BaseModel] | None:
    """The part that an annotation such as `tuple[EnvVar, ...] | None` is about."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((part for inner in get_args(annotation) if (part := _part_in(inner))), None)


def _all_paths(part: type[BaseModel], prefix: str = "") -> list[str]:
    paths = []
    for name, info in part.model_fields.items():
        path = f"{prefix}{info.alias or name}"
        paths.append(path)
        inner = _part_in(info.annotation)
        if inner is not None and path != "status":
            paths += _all_paths(inner, f"{path}.")
    return paths


def _missing(place: tuple[int | str, ...], root: type[BaseModel]) -> str:
    part = part_at(root, place[:-1])
    for name, info in part.model_fields.items() if part else ():
        if place[-1] in (info.alias, name) and info.examples:
            return f"missing; write it, for instance {place[-1]}: {info.examples[0]}"
    return "missing; write it"


def _choices(found: object, context: Context) -> str:
    options = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
    near = nearest(found, options) if isinstance(found, str) else None
    hint = f"; did you mean {near}?" if near else ""
    return f"{one_of(options)}, not {show(found)}{hint}"


def _quoted(found: object, _: Context) -> str:
    if isinstance(found, dict | list):
        return f"write text, not {_shape(found)}"
    text = str(found).lower() if isinstance(found, bool) else str(found)
    return f'write text, in quotes where YAML would read something else: "{text}"'


def _shape(found: object) -> str:
    return "a mapping" if isinstance(found, dict) else "a list" if isinstance(found, list) else show(found)


_SENTENCES: dict[str, Callable[[Any, Context], str]] = {
    "literal_error": _choices,
    "int_type": lambda found, _: f"write a whole number, not {_shape(found)}",
    "bool_type": lambda found, _: f"write true or false, not {_shape(found)}",
    "string_type": _quoted,
    "tuple_type": lambda found, _: f"write a list, as in [{show(found)}]" if isinstance(found, str) else "write a list",
    "dict_type": lambda found, _: f"write a mapping of keys and values, not {_shape(found)}",
    "model_type": lambda found, _: f"write a mapping of keys and values, not {_shape(found)}",
    "greater_than_equal": lambda found, context: f"{at_least(context['ge'])}, not {show(found)}",
    "less_than_equal": lambda found, context: f"{at_most(context['le'])}, not {show(found)}",
    "too_short": lambda _, context: at_least_items(context["min_length"]),
    "too_long": lambda _, context: f"write at most {context['max_length']} of them, not {context['actual_length']}",
    "string_too_short": lambda found, _: f"{A_TEXT}, not {show(found)}",
    "string_pattern_mismatch": lambda found, _: f"{ON_ONE_LINE}, not {show(found)}",
    "string_too_long": lambda _, context: f"write at most {context['max_length']} characters",
}
