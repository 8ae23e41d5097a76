"""Events of an experiment as Kubernetes Events."""

from dataclasses import replace
from datetime import timedelta

from orchestrator.cluster.kubernetes.events import event_object
from orchestrator.core.model import Event
from tests.core.build import NOW, experiment

GRADED = Event("Graded", "birds, seed 0: score 0.5.")


def name(of: str = "aide-lite", uid: str = "1", event: Event = GRADED, minutes: int = 0) -> str:
    told = event_object(replace(experiment(), name=of, uid=uid), event, NOW + timedelta(minutes=minutes))
    return str(told["metadata"]["name"])


def test_the_same_event_has_the_same_name_and_another_one_another():
    assert name() == name(minutes=5)
    others = [
        name(of="aide-full"),
        name(uid="2"),
        name(event=replace(GRADED, reason="Failed")),
        name(event=replace(GRADED, message="birds, seed 1: score 0.5.")),
    ]
    assert len({name(), *others}) == 5


def test_a_long_name_is_cut_to_what_a_name_may_have():
    long = name(of="a" * 235 + ".b" * 9)
    assert len(long) <= 253
    assert ".." not in long


def test_a_long_message_is_cut_between_letters():
    message = event_object(experiment(), Event("Failed", "ü" * 3000), NOW)["message"]
    assert 1020 <= len(message.encode()) <= 1024
    assert message.endswith("ü…")
    assert event_object(experiment(), Event("Failed", "x" * 1024), NOW)["message"] == "x" * 1024


def test_a_bad_turn_is_a_warning():
    assert event_object(experiment(), Event("Failed", "", is_warning=True), NOW)["type"] == "Warning"
    assert event_object(experiment(), GRADED, NOW)["type"] == "Normal"
