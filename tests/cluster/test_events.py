"""Events of an experiment, as `kubectl describe` shows them."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.events import tell
from orchestrator.cluster.kubernetes.kinds import EVENTS, EXPERIMENTS
from orchestrator.core.model import Event
from tests.cluster import crd
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.road import Road
from tests.core.build import NOW, experiment

GRADED = Event("Graded", "birds, seed 0: score 0.5.")
FAILED = Event("ImagePull", "ü" * 2000, is_warning=True)


def test_an_event_is_shown_once_with_its_last_time(control_plane: ControlPlane, namespace: str) -> None:
    crd.install(control_plane)
    api = Api.connect(control_plane.kubeconfig)
    made = api.create(EXPERIMENTS, namespace, crd.sound("aide-lite"))
    told = replace(experiment(), namespace=namespace, name="aide-lite", uid=made["metadata"]["uid"])
    tell(api, told, [GRADED, FAILED], now=NOW)
    tell(api, told, [GRADED], now=NOW + timedelta(minutes=5))
    there = {item["reason"]: item for item in api.list(EVENTS, namespace).items}
    assert {reason: item["lastTimestamp"] for reason, item in there.items()} == {
        "Graded": "2026-05-01T12:05:00Z",
        "ImagePull": "2026-05-01T12:00:00Z",
    }
    shown = control_plane.kubectl("describe", "exp", "aide-lite", f"--namespace={namespace}")
    after = shown[shown.index("Events:") :]
    assert after.count(GRADED.message) == 1
    assert "Warning  ImagePull" in after
    assert "mlectl-controller" in after


def test_events_that_can_not_be_told_disturb_nobody(
    control_plane: ControlPlane, namespace: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    road = Road(control_plane.kubeconfig, tmp_path)
    api = Api.connect(road.kubeconfig)
    road.cut()
    tell(api, replace(experiment(), namespace=namespace), [GRADED, FAILED])
    assert caplog.text.count("was not told") == 1
    road.close()
