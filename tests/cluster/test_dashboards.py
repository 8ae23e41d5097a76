"""What dashboards and rules ask is asked of a real Prometheus that has scraped a real controller.

Of what kube-state-metrics and Kueue would show, it scrapes a text.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from dashboards.all import rendered
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS
from tests.cluster.played_nodes import NODES
from tests.cluster.player import Script
from tests.cluster.prometheus import scraping, showing

BESIDE = Path(__file__).with_name("beside.prom")
RULES = Path(__file__).parents[2] / "helm/mlectl/files/rules.yaml"
FIRST, SECOND = COMPETITIONS


def one_is_lost_and_one_goes_on(cast):
    """Seed 0 is graded; of seed 1 one run leaves nothing and the other does not end."""
    if cast.role is not Role.AGENT:
        return Script(run_seconds=1.0)
    return Script(
        stage_seconds=1.0,
        run_seconds=1.0,
        says_seconds=100.0,
        collects=cast.seed == 0 or cast.competition == SECOND,
        forever=cast.seed == 1 and cast.competition == SECOND,
    )


def asked_by_dashboards(namespace):
    """Every query, with what Grafana fills in."""
    filled = {"$namespace": namespace, "$experiment": "trial", "$__rate_interval": "10s"}
    for page in rendered().values():
        for panel in json.loads(page)["panels"]:
            for target in panel.get("targets", ()):
                query = target["expr"]
                for name, value in filled.items():
                    query = query.replace(name, value)
                assert "$" not in query, query
                yield query


def asked_by_rules():
    """What they record, and every series that they select; whether alerts fire is promtool's to say."""
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            if "record" in rule:
                yield rule["record"]
            yield from re.findall(r"\b(?:mlectl|kube)[_:][\w:]+(?:\{[^}]*\})?", rule["expr"])


def test_every_query_of_dashboards_and_rules_returns_data(lab, tmp_path):
    lab.player.script = one_is_lost_and_one_goes_on
    controller = lab.controller()
    with (
        showing(BESIDE) as beside,
        scraping(f"127.0.0.1:{controller.port}", tmp_path / "prometheus", RULES, beside=beside) as prometheus,
    ):
        lab.wait(lambda: prometheus.has_data("mlectl_build_info"), "the controller is scraped")
        lab.submit("earlier")
        lab.wait_for_phase("Succeeded", name="earlier")  # and has prepared the datasets
        closed = [lab.api.patch(NODES, None, node, {"spec": {"unschedulable": True}}) for node in lab.nodes.names]
        lab.submit(seeds=2, retries={"infrastructure": 0})
        lab.wait(lambda: lab.status().get("runs", {}).get("queued") == 4, "runs wait for a node")
        for node in closed:
            lab.api.patch(NODES, None, node["metadata"]["name"], {"spec": {"unschedulable": False}})
        states = {(FIRST, 0): "Graded", (SECOND, 0): "Graded", (FIRST, 1): "Failed", (SECOND, 1): "Running"}
        lab.wait(lambda: {key: row["state"] for key, row in lab.rows().items()} == states, "runs are as played")

        queries = dict.fromkeys((*asked_by_dashboards(lab.agents), *asked_by_rules()))
        missing = list(queries)

        def all_have_data():
            missing[:] = [query for query in missing if not prometheus.has_data(query)]
            return not missing

        try:
            lab.wait(all_have_data, "every query has data", 60)
        except AssertionError:
            pytest.fail("no data for\n" + "\n".join(missing))
        assert prometheus.value("mlectl:gpus:idle") == 8, "of the one node that is ready and runs nothing"

        rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
        assert {rule["health"] for rule in rules} == {"ok"}
        assert prometheus.ask("alerts")["alerts"] == [], "nothing is wrong for long enough, or about to be"
