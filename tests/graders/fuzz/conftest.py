"""One grader in a child of its own for all fuzz tests of a session, and the honest submissions they start from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from bounded import BoundedGrader
from honest import Target


@pytest.fixture(scope="session")
def grader() -> Iterator[BoundedGrader]:
    with BoundedGrader() as running:
        yield running


@pytest.fixture(scope="session")
def target(
    prepared: Callable[..., Any], grader: BoundedGrader, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], Target]:
    """A competition to attack: `target(id, version)`."""
    folder = tmp_path_factory.mktemp("fuzz")

    @cache
    def aim(competition_id: str, version: str) -> Target:
        return Target(prepared(competition_id, version=version), grader, folder / "submission.csv")

    return aim
