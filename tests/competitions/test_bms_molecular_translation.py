"""bms-molecular-translation: in v2 an empty prediction is an empty text and not the letters nan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ID = "bms-molecular-translation"


def test_an_empty_prediction_is_nan_in_v1_and_nothing_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    truth = pd.read_csv(v1.private / "test.csv")
    empty, spelled = truth.assign(InChI=""), truth.assign(InChI="nan")

    assert v1.grade(empty, tmp_path / "s.csv").score == v1.grade(spelled, tmp_path / "s.csv").score
    assert v2.grade(empty, tmp_path / "s.csv").score == pytest.approx(truth["InChI"].str.len().mean(), abs=1e-5)
    assert v2.grade(spelled, tmp_path / "s.csv").score == v1.grade(spelled, tmp_path / "s.csv").score
