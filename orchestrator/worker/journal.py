"""What a courier remembers of its attempt when it is killed and started again, in a file that the agent can't reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from orchestrator.worker.files import replace_file
from orchestrator.worker.submission import Copied


@dataclass
class Snapshot:
    """A copy of the submission at some minute of the agent's time."""

    minutes: float
    sha256: str
    bytes: int
    uploaded: bool = False


@dataclass
class Validations:
    """How often the agent asked, and what came of it."""

    asked: int = 0
    valid: int = 0
    invalid: int = 0
    refused: int = 0
    """Too many at once, or nothing that could be checked."""


@dataclass
class Pages:
    """The journal's contents."""

    seen: dict[str, list[str]] = field(default_factory=dict)
    """CPUs, memory and GPUs of the agent's container."""
    validations: Validations = field(default_factory=Validations)
    snapshots: list[Snapshot] = field(default_factory=list)
    deadline_reached: bool = False
    interrupted: bool = False
    noticed: bool = False
    """Whether the platform had said before that the pod would go, by the way that the agent can't know."""
    is_frozen: bool = False
    """Whether what counts as the submission is settled: the budget had ended."""
    frozen: Copied | None = None
    ended: dict[str, list[str]] | None = None
    """What the launcher said at the end; None: nothing."""
    notes: list[str] = field(default_factory=list)
    collected: bool = False


PAGES = TypeAdapter(Pages)


class Journal:
    """Reads and changes are safe from several threads; every change is on file before it is believed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pages = PAGES.validate_json(path.read_bytes()) if path.exists() else Pages()
        self.lock = threading.RLock()

    @contextmanager
    def change(self) -> Iterator[Pages]:
        with self.lock:
            yield self.pages
            replace_file(self.path, PAGES.dump_json(self.pages))

    def dump(self) -> dict[str, Any]:
        with self.lock:
            pages: dict[str, Any] = PAGES.dump_python(self.pages, mode="json")
            return pages
