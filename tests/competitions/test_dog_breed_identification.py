"""dog-breed-identification: v2 is v1 with a note: no split can undo that the pictures are published with labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import digest

import catalog

ID = "dog-breed-identification"


def test_v2_prepares_and_scores_the_same(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    noisy = v1.submissions()["noisy"]

    assert digest.tree_digest(v1.public) == digest.tree_digest(v2.public)
    assert digest.tree_digest(v1.private) == digest.tree_digest(v2.private)
    assert v1.grade(noisy, tmp_path / "s.csv").score == v2.grade(noisy, tmp_path / "s.csv").score


def test_the_catalog_says_that_it_is_contaminated() -> None:
    assert any(defect.kind == "contaminated" for defect in catalog.load(ID).defects)
