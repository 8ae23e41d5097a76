"""What the pages say is needed is what the project asks for."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.pages import DOCS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "index.md"], ids=lambda page: page.name)
def test_the_versions_of_python_are_those_that_it_installs_on(page):
    assert PROJECT["requires-python"] == ">=3.11,<3.13"
    assert "Python 3.11 or 3.12 and nothing else" in " ".join(page.read_text().split())


def test_the_version_of_helm_is_the_one_that_the_chart_is_tested_with():
    pinned = re.search(r"helm\.sh/helm/v4 v([\d.]+)", (ROOT / "tests/cluster/tools/helm/go.mod").read_text())
    assert pinned
    assert f"with Helm {pinned[1]} " in (DOCS / "install.md").read_text()


def test_every_kind_of_cluster_has_its_file_of_values_and_no_other_words_for_it():
    """What a file selects stands there alone, so that page and file can't differ."""
    text = (DOCS / "install.md").read_text()
    sections = text[text.index("## Bare metal") : text.index("## Remove it")]
    files = {path.stem for path in (ROOT / "helm/mlectl/values").glob("*.yaml")} - {"trial"}
    assert set(re.findall(r"(?m)^`helm/mlectl/values/(.+)\.yaml`$", sections)) == files
    assert "nodeSelector" not in sections
