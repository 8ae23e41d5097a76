"""The controller's rights are those that it uses: not one less, not one more.

A controller works through everything that it can be asked to do, as the ServiceAccount of manifests/install with the
Roles there, which are the chart's, and every request that the API server answered well is noted down as (verb,
resource, namespace). RBAC refuses what is not granted, so the set of rights that were used is the set that is needed: a
granted right that is not in it could be dropped, and so the two must be equal.
"""

import json
import re
import threading
from pathlib import Path

import pytest
import yaml

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.connection import Connection
from orchestrator.cluster.kubernetes.errors import Forbidden, NotFound
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, PODS, Kind
from orchestrator.cluster.kubernetes.kubeconfig import find_target
from orchestrator.cluster.kubernetes.settings import load_settings
from orchestrator.controller.serve import Controller
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS
from tests.cluster.player import Script

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests" / "install"
SECRETS = Kind("", "v1", "secrets", "Secret")
PATH = re.compile(
    r"/apis?/(?:(?P<group>[^/]+)/)??v[^/]+/namespaces/(?P<namespace>[^/]+)/(?P<resource>[^/]+)"
    r"(?:/(?P<name>[^/]+)(?:/(?P<sub>[^/]+))?)?$"
)
FIRST, SECOND = COMPETITIONS


def manifests(agents, system):
    """The controller's account and rights, for the namespaces of a test."""
    text = "---\n".join((MANIFESTS / name).read_text() for name in ("controller.yaml", "rbac.yaml"))
    objects = yaml.safe_load_all(text.replace("mlectl-system", system).replace("mlectl-runs", agents))
    return [one for one in objects if one and one["kind"] in ("ServiceAccount", "Role", "RoleBinding")]


def granted(objects):
    return {
        (verb, resource, one["metadata"]["namespace"])
        for one in objects
        if one["kind"] == "Role"
        for rule in one["rules"]
        for verb in rule["verbs"]
        for resource in rule["resources"]
    }


class Noting(Connection):
    """Notes the rights that were used."""

    def __init__(self, target):
        super().__init__(target)
        self.used = set()
        self.in_order = []

    def ask(self, method, path, request, **options):
        right = self.right(method, path, options.get("query") or {})
        try:
            answer = super().ask(method, path, request, **options)
        except NotFound:
            self.used.add(right)  # it was allowed to ask
            raise
        self.used.add(right)
        self.in_order.append(right)
        if method == "PATCH" and answer.status == 201:  # server-side apply has made it, which takes both rights
            self.used.add(("create", *right[1:]))
        return answer

    def right(self, method, path, query):
        found = PATH.match(path)
        assert found, path
        resource = "/".join(part for part in (found["resource"], found["sub"]) if part)
        reads = "watch" if "watch" in query else "get" if found["name"] else "list"
        verb = {"GET": reads, "POST": "create", "PATCH": "patch", "DELETE": "delete"}[method]
        return verb, resource, found["namespace"]


@pytest.fixture
def account(control_plane, lab):
    """A kubeconfig of the controller's ServiceAccount."""
    control_plane.apply(*manifests(lab.agents, lab.system))
    token = control_plane.kubectl("create", "token", "mlectl-controller", "--namespace", lab.system).strip()
    config = yaml.safe_load(control_plane.kubeconfig.read_text())
    config["users"] = [{"name": "controller", "user": {"token": token}}]
    for context in config["contexts"]:
        context["context"]["user"] = "controller"
    path = lab.folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return path


def test_the_rights_granted_are_the_rights_used(lab, account):
    noting = Noting(find_target(account))
    controller = Controller(Api(noting), load_settings(lab.config), listen="127.0.0.1:0")
    stop = threading.Event()
    thread = threading.Thread(target=controller.run, args=(stop,))
    thread.start()
    try:
        live_through_everything(lab, noting)
    finally:
        stop.set()
        thread.join(40)
    assert not thread.is_alive()
    assert noting.used == granted(manifests(lab.agents, lab.system))
    policy, agent = ("patch", "networkpolicies", lab.agents), ("create", "jobs", lab.agents)
    assert noting.in_order.index(policy) < noting.in_order.index(agent), "an agent began before anything held it back"


def live_through_everything(lab, noting):
    """Prepare, run, be suspended, resume, be cancelled while preparing, expire, be deleted with the results."""
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 1)
    lab.submit("whole", ttlAfterFinished="1s")
    lab.wait(lambda: len(lab.player.played) >= 3, "an agent runs")
    lab.change({"spec": {"suspend": True}}, "whole")
    lab.wait(lambda: not lab.player.lives, "agents were told to go")
    lab.wait_for_phase("Suspended", name="whole")
    lab.change({"spec": {"suspend": False}}, "whole")
    lab.wait_for_phase("Succeeded", name="whole")
    lab.wait(lambda: is_told_again(lab, noting), "an event that is there is told again")
    lab.wait(lambda: not lab.jobs(), "its Jobs were removed after their time")
    asked = {"finalizers": [labels.RESULTS_FINALIZER], "annotations": {labels.DELETE_RESULTS: "true"}}
    lab.change({"metadata": asked}, "whole")
    lab.api.delete(EXPERIMENTS, lab.agents, "whole")
    lab.wait(lambda: lab.experiment("whole") is None, "it is gone")

    for store in (lab.stores.public, lab.stores.private):
        for key in list(store.keys("")):
            store.delete(key)
    lab.player.script = lambda cast: Script(forever=True)
    lab.submit("broken")
    lab.wait(lambda: len(lab.jobs("prepare")) == 2, "datasets are being prepared")
    lab.annotate("broken", cancelled="true")
    lab.wait_for_phase("Failed", name="broken")


def is_told_again(lab, noting):
    """Have the status say that it runs, so that its end is told once more."""
    lab.api.patch(EXPERIMENTS, lab.agents, "whole", {"status": {"phase": "Running"}}, subresource="status")
    lab.wait_for_phase("Succeeded", name="whole")
    return ("patch", "events", lab.agents) in noting.used


def test_nothing_else_is_allowed(lab, account):
    api = Api.connect(account)
    for namespace in (lab.agents, lab.system):
        with pytest.raises(Forbidden):
            api.list(SECRETS, namespace)
        with pytest.raises(Forbidden):
            api.delete(PODS, namespace, "any")
    with pytest.raises(Forbidden):
        api.list(JOBS)
    with pytest.raises(Forbidden):
        api.list(EXPERIMENTS, lab.system)
