"""The committed dashboards are those that the code makes, and each panel can be read."""

import json
import re
from pathlib import Path

import pytest

from dashboards.all import FOLDER, rendered
from dashboards.experiments import COLOURS
from orchestrator.api.types import RunState
from orchestrator.controller.metrics import Metrics

CHECKOUT = Path(__file__).parents[2]
PAGES = rendered()
OF_OTHERS = {
    "kube_node_status_allocatable",
    "kube_node_status_condition",
    "kube_node_spec_unschedulable",
    "kube_pod_container_resource_requests",
    "kube_pod_status_phase",
    "kueue_cluster_queue_nominal_quota",
    "kueue_cluster_queue_resource_usage",
}
"""By kube-state-metrics and by Kueue."""


def panels_of(name):
    return [panel for panel in json.loads(PAGES[name])["panels"] if panel["type"] != "row"]


def names_in(text):
    """Of metrics; those that rules record have colons."""
    return set(re.findall(r"\b(?:mlectl|kube|kueue)_\w+", text))


def test_the_chart_has_every_dashboard_as_the_code_makes_it():
    committed = {path.name: path.read_text() for path in (CHECKOUT / FOLDER).glob("*.json")}
    assert committed == PAGES, "run `make docs` and commit the result"


@pytest.mark.parametrize("name", PAGES)
def test_every_panel_has_a_title_a_query_and_a_source_that_can_be_chosen(name):
    for panel in panels_of(name):
        assert panel["title"]
        assert [target["expr"] for target in panel["targets"]], panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
    variables = [one["name"] for one in json.loads(PAGES[name])["templating"]["list"]]
    assert variables == ["datasource", "namespace", "experiment"]


@pytest.mark.parametrize("name", PAGES)
def test_panels_do_not_lie_on_each_other(name):
    page = json.loads(PAGES[name])
    taken = [
        (x, y)
        for place in (panel["gridPos"] for panel in page["panels"])
        for x in range(place.get("x", 0), place.get("x", 0) + place["w"])
        for y in range(place.get("y", 0), place.get("y", 0) + place["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24
    assert len({panel["id"] for panel in page["panels"]}) == len(page["panels"])


@pytest.mark.parametrize("path", [*(FOLDER / name for name in PAGES), FOLDER.parent / "rules.yaml"], ids=str)
def test_every_series_that_is_asked_for_exists(path):
    """In name; tests/cluster/test_dashboards.py sees that each has data."""
    shown = {metric.name for metric in Metrics().registry.collect()}
    shown |= {f"{name}{end}" for name in shown for end in ("_total", "_bucket", "_count", "_sum")}
    assert names_in((CHECKOUT / path).read_text()) <= shown | OF_OTHERS


def test_every_state_of_a_run_has_a_colour_of_its_own():
    assert set(COLOURS) == set(RunState)
    assert len(set(COLOURS.values())) == len(COLOURS)
