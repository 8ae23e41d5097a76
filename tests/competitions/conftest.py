"""The kit's prepared competitions, made once for all tests of a session."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "kit"))

from prepared import Prepared, preparer


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Prepared]:
    """Prepare a competition of the kit, or hand out the one that was: `prepared(id, seed=0, version="v1")`."""
    return preparer(tmp_path_factory)
