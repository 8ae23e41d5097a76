"""Graders that do what none may do, to see that the fuzz tests would notice."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np


def raise_an_error(*_: Any) -> None:
    raise ZeroDivisionError("an error of the grader's own")


def take_too_much_memory(*_: Any) -> None:
    np.ones(1 << 30)


def take_forever(*_: Any) -> None:
    threading.Event().wait()


def die(*_: Any) -> None:
    os.abort()
