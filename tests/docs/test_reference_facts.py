"""Reference pages that are made from the code are what the code would make now."""

from __future__ import annotations

import re

import pytest

from orchestrator.cli.reference_facts import FOLDER, PAGES, failures_page, metrics_page, store_page
from orchestrator.controller.metrics import Metrics
from orchestrator.core.failures import FAILURES
from orchestrator.storage import layout
from orchestrator.storage.layout import ExperimentKeys


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_not_drifted(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "run: make docs"


def test_every_failure_is_on_its_page_once():
    assert sorted(re.findall(r"^\| `(\w+)` \|", failures_page(), re.MULTILINE)) == sorted(FAILURES)


def test_every_series_that_a_controller_shows_is_on_its_page():
    shown = re.findall(r"^# TYPE (\w+?)(?:_total)? (\w+)$", Metrics().render().decode(), re.MULTILINE)
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \|", metrics_page(), re.MULTILINE)
    assert sorted(listed) == sorted(shown)


def test_the_labels_of_a_series_are_named():
    page = metrics_page()
    assert re.search(r"`mlectl_api_requests` \| counter \| `verb`, `resource`, `code` \|", page)
    assert re.search(r"`mlectl_consumed_budget_seconds` \| gauge \| `namespace`, `experiment` \|", page)


def test_every_file_on_the_page_of_the_store_is_one_that_the_layout_has_a_key_for():
    named = set(re.findall(r"[\w.]+\.(?:json|yaml|csv|tar|html|log)\b", store_page().partition("```text")[2]))
    experiment = ExperimentKeys("ns", "name", "uid")
    attempt = experiment.attempt("c", 0, 0)
    keys = [
        getattr(one, name)
        for one in (experiment, attempt)
        for name, kind in vars(type(one)).items()
        if isinstance(kind, property)
    ]
    keys += [layout.RULES, layout.MANIFEST, layout.ARCHIVE_NOTE]
    assert named - {key.rpartition("/")[2] for key in keys} == {"NNNNN.tar"}, "shards have numbers"
