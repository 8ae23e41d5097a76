"""The sums on the page about the published setting, done again."""

from __future__ import annotations

import math

import pytest
import yaml

import catalog
from orchestrator.api.departures import departures
from orchestrator.api.types import ExperimentRun, parse_quantity
from orchestrator.cluster.kubernetes.jobs import PREPARE_STORAGE_BASE, PREPARE_STORAGE_PER_GB
from tests.docs.pages import DOCS, ROOT, rows

PAGE = DOCS / "published-setting.md"
SEEDS = 3


def number(cell: str) -> int:
    return int(cell.split()[0].replace(",", ""))


def test_the_sample_is_the_published_setting():
    sample = yaml.safe_load((ROOT / "manifests" / "samples" / "published.yaml").read_text())
    assert departures(ExperimentRun.model_validate(sample).spec) == []


@pytest.mark.parametrize("row", rows(PAGE, "| | competitions"), ids=lambda row: row[0])
def test_what_it_costs(row):
    split, *cells = row
    ids = catalog.ids(split.strip("`"))
    runs = len(ids) * SEEDS
    size = round(sum(catalog.load(one).size_gb for one in ids))
    assert [number(cell) for cell in cells] == [len(ids), runs, runs, runs * 24, runs * 24 * 36, runs * 24 * 440, size]


@pytest.mark.parametrize("row", rows(PAGE, "| agents at once"), ids=lambda row: row[0])
def test_how_long_it_takes(row):
    at_once, *days = map(number, row)
    assert days == [math.ceil(len(catalog.ids(split)) * SEEDS / at_once) for split in ("lite", "all")]


def test_the_largest_download_and_that_the_chart_has_disk_for_it():
    largest = max(map(catalog.load, catalog.ids("all")), key=lambda one: one.size_gb)
    assert f"{largest.size_gb:.0f} GB ({largest.id})" in PAGE.read_text()
    values = yaml.safe_load((ROOT / "helm" / "mlectl" / "values.yaml").read_text())
    needed = PREPARE_STORAGE_BASE + largest.size_gb * PREPARE_STORAGE_PER_GB * 1e9
    assert needed <= parse_quantity(values["workers"]["prepare"]["storage"])
