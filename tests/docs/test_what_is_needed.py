"""What the pages say is needed is what the project asks for."""

from __future__ import annotations

import tomllib

import pytest

from tests.docs.pages import DOCS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "index.md"], ids=lambda page: page.name)
def test_the_versions_of_python_are_those_that_it_installs_on(page):
    assert PROJECT["requires-python"] == ">=3.11,<3.13"
    assert "Python 3.11 or 3.12 and nothing else" in " ".join(page.read_text().split())
