"""Two controllers, one leader; and one that is cut off from what it needs for a while."""

import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import yaml

from orchestrator.cluster.kubernetes.kinds import EVENTS
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, Lab
from tests.cluster.player import Script
from tests.s3server import OWNER, S3Server
from tests.storage.proxy import Proxy

FIRST, SECOND = COMPETITIONS
LEASE_SECONDS = 15
STORES = ("public", "private", "runs")


def leader_of(lab):
    def look():
        leading = [one for one in lab.controllers if one.process.poll() is None and one.leads]
        assert len(leading) <= 1
        return leading

    (found,) = lab.wait(look, "one of them leads")
    return found


def test_a_leader_that_stops_hands_over_at_once(lab):
    for _ in range(2):
        lab.controller()
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.competition == SECOND)
    lab.submit()
    first = leader_of(lab)
    lab.wait(lambda: lab.rows().get((FIRST, 0), {}).get("state") == "Graded", "one run is graded")
    began = time.monotonic()
    assert first.stop() == 0
    second = leader_of(lab)
    assert second is not first
    assert time.monotonic() - began < LEASE_SECONDS, "it waited for the Lease to expire"
    lab.player.script = lambda cast: Script()
    for life in list(lab.player.lives.values()):
        life.told_to_go.set()  # as if its node were drained
    lab.wait_for_phase("Succeeded")


def test_a_leader_that_is_killed_is_followed_by_the_other(lab):
    for _ in range(2):
        lab.controller()
    lab.player.script = lambda cast: Script(run_seconds=1.0)
    lab.submit(seeds=2)
    first = leader_of(lab)
    lab.wait(lambda: [cast for cast in lab.player.played if cast.role is Role.AGENT], "agents run")
    first.kill()
    lab.wait_for_phase("Succeeded")
    assert leader_of(lab) is not first
    assert len(lab.player.reports) == 4
    assert {cast.attempt for cast in lab.player.played if cast.role is Role.AGENT} == {1}


def test_a_store_that_is_away_for_a_while_costs_nothing_but_time(control_plane, tmp_path, namespaces, monkeypatch):
    for name, value in OWNER.environment.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as stack:
        server = stack.enter_context(S3Server.start())
        proxy = stack.enter_context(Proxy(server.port))
        for name in STORES:
            server.make_bucket(name)
        lab = Lab.open(
            control_plane,
            tmp_path,
            namespaces,
            stack,
            urls={name: server.url(name) for name in STORES},
            controllers_urls={name: server.url(name, endpoint=proxy.endpoint) for name in STORES},
        )
        lab.player.script = lambda cast: Script(run_seconds=0.5)
        lab.submit()
        controller = lab.controller()
        lab.wait(lambda: lab.jobs("agent"), "agents are started")
        proxy.dies_after_up = 0
        none = 'mlectl_store_errors_total{store="runs"} 0.0\n'
        lab.wait(lambda: none not in controller.get("/metrics"), "the store is missed")
        lab.wait(lambda: not lab.player.lives, "the agents have ended meanwhile")
        assert controller.get("/healthz") == "ok\n"
        lab.wait(lambda: "the store is out of reach" in controller.log.read_text(), "a line says so")
        reasons = {event["reason"] for event in lab.api.list(EVENTS, lab.agents).items}
        assert "StoreUnavailable" in reasons, "and so does an event"
        proxy.dies_after_up = float("inf")
        lab.wait_for_phase("Succeeded")
        assert len(lab.player.reports) == 2
        assert {cast.attempt for cast in lab.player.played} == {1}


def test_an_api_server_that_is_away_for_a_while_costs_nothing_but_time(lab):
    """Long enough for the Lease to be lost: the controller stands by, and leads again."""
    config = yaml.safe_load(lab.kubeconfig.read_text())
    (cluster,) = (one["cluster"] for one in config["clusters"])
    with Proxy(urlsplit(cluster["server"]).port) as proxy:
        cluster["server"] = proxy.endpoint.replace("http:", "https:")
        path = lab.folder / "kubeconfig"
        path.write_text(yaml.safe_dump(config))
        lab.player.script = lambda cast: Script(run_seconds=1.0)
        lab.submit()
        controller = lab.controller(kubeconfig=path)
        lab.wait(lambda: [cast for cast in lab.player.played if cast.role is Role.AGENT], "agents run")
        proxy.dies_after_up = 0
        lab.wait(lambda: not controller.leads, "it leads no more")
        shown = 'mlectl_experiment_phase{experiment="trial"'
        lab.wait(lambda: shown not in controller.get("/metrics"), "who stands by shows no experiment")
        lab.wait(lambda: not lab.player.lives, "the agents have ended meanwhile")
        proxy.dies_after_up = float("inf")
        lab.wait_for_phase("Succeeded")
        assert controller.leads
        assert controller.process.poll() is None
    assert len(lab.player.reports) == 2
    assert {cast.attempt for cast in lab.player.played} == {1}
