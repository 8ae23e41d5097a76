"""The examples in the toolkit's docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pandas as pd
import pytest


@pytest.mark.parametrize("module", ["names", "shape", "split"])
def test_examples_in_docstrings_are_true(module: str) -> None:
    tested = doctest.testmod(importlib.import_module(f"preparers.toolkit.{module}"), extraglobs={"pd": pd})

    assert tested.attempted
    assert not tested.failed
