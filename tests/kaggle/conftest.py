"""A stand-in for Kaggle, an account at it, and competitions whose checksums the catalog knows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import catalog
from catalog import plugins
from tests.kaggle.standin import TOKEN, StandIn

FACTS = """
name = "{name}"
complexity = "low"
category = "Tabular"
metric = "accuracy"
lower_is_better = false
answers = "test.csv"
sample_submission = "sample_submission.csv"
medals = {{gold = 0.9, silver = 0.8, bronze = 0.7, median = 0.5, teams = 40}}
{checksums}
"""
PACKAGE = """
from pathlib import Path
from catalog.plugins import from_folder

def competitions():
    folders = (path.parent for path in Path(__file__).parent.glob("*/facts.toml"))
    return [from_folder(folder, preparer="own:prepare", grader="own:score") for folder in folders]
"""


@pytest.fixture
def kaggle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandIn]:
    """The stand-in; the client goes there and has no credentials but what a test gives it."""
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY", "KAGGLE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KAGGLE_API_ENVIRONMENT", "TEST")
    with StandIn() as standin:
        yield standin


@pytest.fixture
def account(kaggle: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that the stand-in accepts."""
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Where raw files shall go; nothing is there yet."""
    return tmp_path / "data" / "tides"


@pytest.fixture
def in_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`in_catalog("tides", zip=md5)`: a package with such a competition is installed."""
    site = tmp_path / "site-packages"
    dist_info, package = site / "own-1.0.dist-info", site / "own"
    dist_info.mkdir(parents=True)
    package.mkdir()
    (dist_info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (dist_info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nown = own:competitions\n")
    (package / "__init__.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(site))

    def add(name: str, zip: str | None = None) -> None:
        (package / name).mkdir()
        checksums = f'[checksums]\nzip = "{zip}"' if zip else ""
        (package / name / "facts.toml").write_text(FACTS.format(name=name, checksums=checksums))
        (package / name / "description.md").write_text("# Own\n")
        _forget()

    yield add
    sys.modules.pop("own", None)
    _forget()


def _forget() -> None:
    catalog.load.cache_clear()
    plugins.installed.cache_clear()
