"""denoising-dirty-documents: v2 keeps all pages of one clean page on one side."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import kit
import pandas as pd
import pytest

import preparers

ID = "denoising-dirty-documents"


@pytest.fixture
def families(tmp_path: Path) -> Path:
    """Raw pages of which every second one has the same clean page as the one before."""
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0, n=30)
    with ZipFile(raw / "train_cleaned.zip") as archive:
        pages = {name: archive.read(name) for name in sorted(archive.namelist())}
    names = list(pages)
    with ZipFile(raw / "train_cleaned.zip", "w") as archive:
        for place, name in enumerate(names):
            archive.writestr(name, pages[names[place - place % 2]])
    return raw


def shared_clean_pages(raw: Path, public: Path) -> set[str]:
    """Clean pages that are public and are the answer to a test page."""
    test = {path.name for path in (public / "test").iterdir()}
    with ZipFile(raw / "train_cleaned.zip") as archive:
        digests = {Path(name).name: sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    shown = {digests[path.name] for path in (public / "train_cleaned").iterdir()}
    return shown & {digests[name] for name in test}


def test_a_test_pages_clean_page_is_public_in_v1_only(families: Path, tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        preparers.prepare(ID, families, tmp_path / version / "public", tmp_path / version / "private", version)

    assert shared_clean_pages(families, tmp_path / "v1/public")
    assert not shared_clean_pages(families, tmp_path / "v2/public")
    pages = [len(list((tmp_path / "v2/public" / part).iterdir())) for part in ("train", "test", "train_cleaned")]
    assert pages == [24, 6, 24]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_that_are_not_finite_are_rejected(
    value: float, version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(ID, version=version)
    sample = pd.read_csv(made.public / "sampleSubmission.csv").astype({"value": float})
    sample.loc[3, "value"] = value

    assert not made.grade(sample, tmp_path / "s.csv").valid
