"""Builders for the catalog's tests: a competition's folder, and an installed package that brings competitions."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import catalog
from catalog import plugins

FACTS = """
name = "Tide Heights"
complexity = "low"
category = "Tabular"
metric = "root mean squared error"
lower_is_better = true
answers = "test.csv"
sample_submission = "sample_submission.csv"

[medals]
gold = 0.1
silver = 0.2
bronze = 0.3
median = 0.5
teams = 40
"""

Writer = Callable[..., Path]


@pytest.fixture
def good_facts() -> str:
    """A facts.toml without a fault, to break one thing of."""
    return FACTS


@pytest.fixture
def write_folder(tmp_path: Path) -> Writer:
    """Writes a competition's folder without a fault, but for what is given; `data_json` stands for data.json."""

    def write(name: str = "tide-heights", facts: str = FACTS, below: Path = tmp_path, **files: str) -> Path:
        folder = below / name
        folder.mkdir(parents=True)
        (folder / "facts.toml").write_text(facts, encoding="utf-8")
        (folder / "description.md").write_text("# Tide Heights\n", encoding="utf-8")
        for stem, text in files.items():
            (folder / stem.replace("_", ".")).write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Path]]:
    """Installs a package of the given source, with an entry point to its `competitions`; gives the package's folder."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    installed: list[str] = []

    def put(package: str, source: str) -> Path:
        dist_info = site / f"{package}-1.0.dist-info"
        dist_info.mkdir()
        (dist_info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (dist_info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nown = {package}:competitions\n")
        (site / package).mkdir()
        (site / package / "__init__.py").write_text(source)
        installed.append(package)
        _forget()
        return site / package

    yield put
    for package in installed:
        sys.modules.pop(package, None)
    _forget()


def _forget() -> None:
    catalog.load.cache_clear()
    plugins.installed.cache_clear()
