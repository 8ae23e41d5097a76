"""Which image ours are built on: one line, whose digest is asked for once and written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from images import bases
from images.engines import Build
from images.errors import ImagesError

DIGEST = f"sha256:{'ab' * 32}"
TAG = "registry.example/python:3.11"


class Registry:
    """An engine that only knows a digest."""

    def __init__(self, digest: str = DIGEST) -> None:
        self.digest, self.asked = digest, list[str]()

    def digest_of(self, reference: str) -> str:
        self.asked.append(reference)
        return self.digest

    def build(self, build: Build) -> None:
        raise NotImplementedError

    def save(self, name: str, archive: Path) -> None:
        raise NotImplementedError


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "bases.lock"
    path.write_text(f"# why\npython   {TAG}\npython3   {TAG}-other\n")
    return path


def test_the_digest_is_asked_for_once_and_written_down(lock: Path) -> None:
    registry = Registry()

    assert bases.pin("python", registry, lock) == bases.pin("python", registry, lock) == f"{TAG}@{DIGEST}"

    assert registry.asked == [TAG]
    assert lock.read_text() == f"# why\npython   {TAG}@{DIGEST}\npython3   {TAG}-other\n"


def test_a_release_needs_a_digest_that_is_there(lock: Path) -> None:
    with pytest.raises(ImagesError, match="Run `make images` once where the registry can be reached"):
        bases.pinned("python", lock)
    bases.pin("python", Registry(), lock)
    assert bases.pinned("python", lock) == f"{TAG}@{DIGEST}"


def test_an_answer_that_is_no_digest_is_not_written(lock: Path) -> None:
    before = lock.read_text()
    with pytest.raises(ImagesError, match="gave no digest"):
        bases.pin("python", Registry("<no value>"), lock)
    assert lock.read_text() == before


def test_a_name_without_a_line_is_told(lock: Path) -> None:
    with pytest.raises(ImagesError, match="has no line for ruby"):
        bases.read("ruby", lock)
