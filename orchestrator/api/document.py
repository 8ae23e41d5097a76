"""One YAML document as plain values, with the line of everything in it.

Loading is safe (no tags that make objects), bounded (size, depth, aliases that multiply) and strict: a key that is
written twice is a mistake, because YAML would silently keep the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_BYTES = 256 * 1024
MAX_VALUES = 20_000
MAX_DEPTH = 50

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Mistake:
    """One thing to put right: where it is and what to write."""

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{where}{self.path}: {self.message}" if self.path else f"{where}{self.message}"


class YamlError(Exception):
    """The text is not one YAML document that could be looked at any further."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.mistake = Mistake("", message, line)


@dataclass(frozen=True)
class Document:
    """The values of a document and where they stand."""

    values: Any
    lines: dict[Path, int]
    duplicates: list[Mistake] = field(default_factory=list)

    def line_of(self, path: Path) -> int | None:
        """Line of the value at path, or of the nearest thing around it that was written."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def show_path(path: Path) -> str:
    """A path as a person writes it: spec.agent.env[2].name."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def read_document(text: str) -> Document:
    """The one document in text. YamlError if it is not YAML, too large, or not exactly one document."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise YamlError(f"the file is larger than {MAX_BYTES // 1024} KiB; an ExperimentRun takes a few")
    try:
        return _read(yaml.SafeLoader(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(f"not YAML: {error.problem}", mark.line + 1 if mark else None) from None
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(f"not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise YamlError(f"nested deeper than {MAX_DEPTH} levels") from None


def _read(loader: yaml.SafeLoader) -> Document:
    nodes = [node for node in _compose(loader) if not _is_empty(node)]
    if len(nodes) != 1:
        found = "nothing" if not nodes else f"{len(nodes)} documents"
        raise YamlError(f"the file holds {found}; write one ExperimentRun in a file")
    document = Document(None, {})
    _index(nodes[0], (), document)
    return Document(loader.construct_document(nodes[0]), document.lines, document.duplicates)


def _compose(loader: yaml.SafeLoader) -> Iterator[yaml.Node]:
    while loader.check_node():
        node = loader.get_node()
        if node is not None:
            yield node


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _index(node: yaml.Node, path: Path, document: Document) -> None:
    """Note the line of each value; an alias is walked again wherever it is used, which is why the count is bounded."""
    if len(path) > MAX_DEPTH:
        raise YamlError(f"nested deeper than {MAX_DEPTH} levels", node.start_mark.line + 1)
    if len(document.lines) >= MAX_VALUES:
        raise YamlError(f"more than {MAX_VALUES} values; an ExperimentRun takes a few dozen")
    document.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            _index(item, (*path, position), document)
    elif isinstance(node, yaml.MappingNode):
        _index_mapping(node, path, document)


def _index_mapping(node: yaml.MappingNode, path: Path, document: Document) -> None:
    seen: dict[str, int] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in seen and key.tag != "tag:yaml.org,2002:merge":
            here = (*path, name)
            message = f"written twice, on lines {seen[name]} and {line}; keep one of them"
            document.duplicates.append(Mistake(show_path(here), message, line))
        seen.setdefault(name, line)
        document.lines.setdefault((*path, name), line)
        _index(value, (*path, name), document)
