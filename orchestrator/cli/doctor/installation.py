"""The installation itself: what the chart made, whether it is ready, and what the controller was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import yaml
from pydantic import ValidationError

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.rights import LEASE
from orchestrator.cli.doctor.subject import CONFIG_MAPS, DEPLOYMENTS, Subject, name_of
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import ApiError, Forbidden
from orchestrator.cluster.kubernetes.kinds import LEASES, Object
from orchestrator.cluster.kubernetes.settings import Settings

PARTS = ("controller", "validation", "canary")
SELECTOR = "app.kubernetes.io/name=mlectl"
COMPONENT = "app.kubernetes.io/component"
VERSION = "app.kubernetes.io/version"
INSTALL = "install the chart, with values as in docs/install.md: helm install mlectl helm/mlectl --values values.yaml"
ASK_AGAIN = "check the API server with `kubectl cluster-info`, and look again"


@dataclass(frozen=True)
class Installed:
    """What was found of one release; parts that are not there are left out."""

    namespace: str | None = None
    parts: Mapping[str, Object] | None = None
    settings: Settings | None = None
    trouble: Check | None = None
    """Why there is no more of it."""

    @property
    def account(self) -> str:
        """The controller's service account."""
        controller = (self.parts or {}).get("controller")
        return str(controller["spec"]["template"]["spec"].get("serviceAccountName", "default")) if controller else ""


def find_installation(api: Api, namespace: str | None) -> Installed:
    """The release in a namespace, or the only one of the cluster. What can't be asked for is its trouble."""
    try:
        found = api.list(DEPLOYMENTS, namespace, SELECTOR).items
    except Forbidden as error:
        advice = "name its namespace with --system-namespace, or run it as somebody who has that right"
        return Installed(trouble=Check("installation", "warning", f"not looked at: {error.message}", advice))
    except ApiError as error:
        return Installed(trouble=Check("installation", "problem", f"not looked at: {error.message}", ASK_AGAIN))
    parts = {place: _by_component(found, place) for place in {item["metadata"]["namespace"] for item in found}}
    complete = {place: one for place, one in parts.items() if "controller" in one}
    if len(complete) != 1:
        return Installed(trouble=judge_number(sorted(complete), namespace))
    ((place, one),) = complete.items()
    settings, trouble = read_settings(api, place, one["controller"])
    return Installed(place, one, settings, trouble)


def _by_component(items: Sequence[Object], namespace: str) -> dict[str, Object]:
    mine = [item for item in items if item["metadata"]["namespace"] == namespace]
    return {item["spec"]["template"]["metadata"]["labels"].get(COMPONENT, ""): item for item in mine}


def judge_number(namespaces: Sequence[str], asked: str | None) -> Check:
    if namespaces:
        told = f"there are {len(namespaces)} installations: in {', '.join(namespaces)}"
        return Check("installation", "problem", told, "choose one with --system-namespace")
    where = f"namespace {asked}" if asked else "this cluster"
    return Check("installation", "problem", f"{where} has no controller of mlectl", INSTALL)


def read_settings(api: Api, namespace: str, controller: Object) -> tuple[Settings | None, Check | None]:
    """What the chart told the controller; or the line that says why it can't be read."""
    volumes = controller["spec"]["template"]["spec"].get("volumes", ())
    name = next((one["configMap"]["name"] for one in volumes if "configMap" in one and one["name"] == "settings"), None)
    try:
        found = api.get(CONFIG_MAPS, namespace, name) if name else None
    except Forbidden as error:
        return None, Check("settings", "warning", f"not looked at: {error.message}", "ask for the right to read it")
    except ApiError as error:
        return None, Check("settings", "problem", f"not looked at: {error.message}", ASK_AGAIN)
    if found is None:
        told = f"the controller's ConfigMap {name or 'of settings'} is not in {namespace}"
        return None, Check("settings", "problem", told, "bring it back: helm upgrade")
    try:
        return Settings.model_validate(yaml.safe_load(found["data"]["settings.yaml"])), None
    except (KeyError, yaml.YAMLError, ValidationError) as error:
        told = f"this mlectl does not understand the settings in ConfigMap {name}: {type(error).__name__}"
        return None, Check("settings", "problem", told, "use the version of mlectl that is installed, or helm upgrade")


def look_at_installation(subject: Subject, installed: Installed, version: str, now: float) -> Iterator[Check]:
    """`version` is this mlectl's, `now` the API server's clock."""
    if installed.parts is None or installed.namespace is None:
        return
    for part in PARTS:
        yield judge_part(part, installed.parts.get(part))
    lease = subject.api.get(LEASES, installed.namespace, LEASE)
    yield judge_leader(lease, now)
    yield judge_version(str(installed.parts["controller"]["metadata"]["labels"].get(VERSION, "")), version)
    if installed.settings:
        yield judge_watch(installed.settings, subject.agents)


def judge_part(name: str, deployment: Object | None) -> Check:
    if deployment is None:
        if name == "canary":
            told = "not installed: runs with network restricted or none have nothing to prove their isolation by"
            return Check(name, "warning", told, "set canary.enabled=true, or name addresses in network.blocked")
        return Check(name, "problem", "not installed", INSTALL)
    wanted, ready = deployment["spec"].get("replicas", 1), deployment.get("status", {}).get("readyReplicas", 0)
    told = f"{ready} of {wanted} ready"
    if ready == 0:
        namespace = deployment["metadata"]["namespace"]
        advice = f"see kubectl -n {namespace} describe deployment {name_of(deployment)}, and its pods' logs"
        return Check(name, "problem", told, advice)
    return Check(name, "ok" if ready >= wanted else "warning", told, "" if ready >= wanted else "see why one is not")


def judge_leader(lease: Object | None, now: float) -> Check:
    """A leader renews its Lease every few seconds; one that has not for longer than the Lease lasts is gone."""
    spec = (lease or {}).get("spec") or {}
    if not spec.get("holderIdentity") or not spec.get("renewTime"):
        return Check("leader", "problem", "no controller leads: nothing happens to any experiment", "see its log")
    age = now - datetime.fromisoformat(spec["renewTime"]).timestamp()
    if age > spec.get("leaseDurationSeconds", 0) + 1:
        told = f"{spec['holderIdentity']} led until {age:.0f} s ago, and nobody has taken over"
        return Check("leader", "problem", told, "see the controller's log: can it reach the API server?")
    return Check("leader", "ok", str(spec["holderIdentity"]))


def judge_version(installed: str, ours: str) -> Check:
    if installed != ours:
        told = f"the cluster has {installed or 'a version that it does not tell'}, this is {ours}"
        return Check("version", "warning", told, "use the same on both sides: fields that one does not know are lost")
    return Check("version", "ok", f"mlectl {ours} here and there")


def judge_watch(settings: Settings, agents: str) -> Check:
    if agents == settings.namespace:
        told = f"{agents} is the controller's own namespace, where no agent may run"
        return Check("namespace", "problem", told, "choose the experiments' with -n")
    if settings.watch and agents not in settings.watch:
        told = f"nobody serves ExperimentRuns in {agents}; served: {', '.join(settings.watch)}"
        return Check("namespace", "problem", told, "choose one of these with -n, or add it to agents.namespaces")
    return Check("namespace", "ok", f"ExperimentRuns in {agents} are served")
