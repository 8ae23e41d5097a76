"""Reads an ExperimentRun from YAML and lists everything that is wrong with it at once, by path and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from catalog.likeness import closest
from orchestrator.api.document import Document, Mistake, Path, YamlError, read_document, show_path
from orchestrator.api.mistakes import explain, keys_of, nearest
from orchestrator.api.types import API_VERSION, KIND, ExperimentRun, Metadata
from orchestrator.api.values import COMPETITION_ID, show

_METADATA_OF_KUBERNETES = {"generateName", "finalizers", "managedFields", "ownerReferences", "selfLink"}


class SpecError(Exception):
    """A text that is not a sound ExperimentRun, with every mistake in it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def load(text: str, known_competitions: Collection[str] | None = None) -> ExperimentRun:
    """The ExperimentRun in a YAML text; SpecError with all mistakes if it is not a sound one.

    With `known_competitions`, an id that is not among them is a mistake too, and its nearest known one is named.
    """
    try:
        document = read_document(text)
    except YamlError as error:
        raise SpecError([error.mistake]) from None
    if not isinstance(document.values, dict):
        raise SpecError([Mistake("", "write an ExperimentRun: a mapping with apiVersion, kind, metadata and spec", 1)])

    mistakes = list(document.duplicates)
    mistakes += _wrong_kind(document)
    mistakes += _wrong_metadata_keys(document)
    mistakes += _unknown_competitions(document, known_competitions)
    experiment = None
    try:
        experiment = ExperimentRun.model_validate(document.values, by_alias=True, by_name=False)
    except ValidationError as error:
        mistakes += _refusals(error, document)
    if mistakes or experiment is None:
        raise SpecError(sorted(mistakes, key=lambda mistake: (mistake.line or 0, mistake.path)))
    return experiment


def _wrong_kind(document: Document) -> Iterator[Mistake]:
    """apiVersion and kind have defaults in Python, but a file has to carry them, as for kubectl."""
    for key, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        found = document.values.get(key)
        if found is None:
            yield Mistake(key, f"missing; write {key}: {expected}", document.line_of((key,)))
        elif found != expected:
            yield Mistake(key, f"write {expected}, not {show(found)}", document.line_of((key,)))


def _wrong_metadata_keys(document: Document) -> Iterator[Mistake]:
    metadata = document.values.get("metadata")
    if not isinstance(metadata, dict):
        return
    known = keys_of(Metadata)
    for key in metadata:
        if key not in known and key not in _METADATA_OF_KUBERNETES:
            near = nearest(str(key), known)
            hint = f"did you mean {near}?" if near else "write your own notes under annotations"
            path = ("metadata", str(key))
            yield Mistake(show_path(path), f"not a known key; {hint}", document.line_of(path))


def _unknown_competitions(document: Document, known: Collection[str] | None) -> Iterator[Mistake]:
    if known is None:
        return
    for key in ("ids", "exclude"):
        ids = _dig(document.values, "spec", "competitions", key)
        for position, name in enumerate(ids if isinstance(ids, list) else ()):
            if isinstance(name, str) and re.fullmatch(COMPETITION_ID, name) and name not in known:
                near = closest(name, known)
                hint = f"did you mean {' or '.join(near)}?" if near else "`mlectl competitions` lists them"
                path = ("spec", "competitions", key, position)
                yield Mistake(show_path(path), f"no competition {show(name)}; {hint}", document.line_of(path))


def _dig(values: Any, *keys: str) -> Any:
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _refusals(error: ValidationError, document: Document) -> Iterator[Mistake]:
    refused = [item for item in error.errors(include_url=False) if item["loc"] not in (("apiVersion",), ("kind",))]
    for item in refused:
        if item["type"] == "too_short" and _has_inner(item, refused):
            continue  # its items were refused one by one; that none is left is no mistake of its own
        path: Path = item["loc"]
        if path[-1:] == ("[key]",):
            path = path[:-1]
        yield Mistake(show_path(path), explain(item, ExperimentRun), document.line_of(path))


def _has_inner(item: ErrorDetails, others: list[ErrorDetails]) -> bool:
    depth = len(item["loc"])
    return any(len(other["loc"]) > depth and other["loc"][:depth] == item["loc"] for other in others)
