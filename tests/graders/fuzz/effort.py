"""How much the fuzz tests try: a little that is always the same, or with MLECTL_FUZZ what never is.

`MLECTL_FUZZ=long` tries 300 files of each kind for each grader, `MLECTL_FUZZ=40` forty.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar
from zlib import crc32

import hypothesis

_WANTED = os.environ.get("MLECTL_FUZZ")
IS_LONG = bool(_WANTED)
EXAMPLES = 10 if not _WANTED else 300 if _WANTED == "long" else int(_WANTED)

SETTINGS = hypothesis.settings(
    max_examples=EXAMPLES,
    database=None,
    deadline=None,
    phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    suppress_health_check=list(hypothesis.HealthCheck),
)

Test = TypeVar("Test", bound=Callable[..., None])


def effort(name: str) -> Callable[[Test], Test]:
    """Decorates a hypothesis test: a quick run tries other examples for each name, and the same ones every time."""

    def decorate(test: Test) -> Test:
        test = SETTINGS(test)
        return test if IS_LONG else hypothesis.seed(crc32(name.encode()))(test)

    return decorate
