"""The examples in docstrings are true, and every metric has one."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pandas as pd
import pytest

from graders import metrics

MODULES = [
    *(f"graders.metrics.{name}" for name in ("correlation", "labels", "lists", "overlap", "probability", "ranking")),
    *(f"graders.metrics.{name}" for name in ("regression", "sets", "text")),
    *(f"graders.metrics.{name}" for name in ("labelranking", "order", "textblocks")),
    *(f"graders.metrics.{name}" for name in ("detection", "hausdorff", "rotated")),
    "graders.standing",
    "graders.toolkit.cells",
    "graders.toolkit.groups",
    "graders.toolkit.guesses",
    "graders.toolkit.masks",
    "graders.toolkit.runs",
    "graders.toolkit.values",
    "graders.toolkit.written",
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_are_true(module: str) -> None:
    tested = doctest.testmod(importlib.import_module(module), extraglobs={"np": np, "pd": pd})

    assert tested.attempted
    assert not tested.failed


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_metric_has_a_worked_example_and_tells_its_direction(name: str) -> None:
    assert ">>> " in str(getattr(metrics, name).__doc__)
    assert name.endswith(("_score", "_loss", "_error", "_distance"))
