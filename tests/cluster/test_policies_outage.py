"""Network policies while the enforcer or the API server is away. These tests stop both for some seconds, so they want a
rig that nobody else is using.
"""

import os
import signal
from collections.abc import Iterator

import pytest

from tests.cluster.rig import policies, processes
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.layout import MAIN
from tests.cluster.town import Target, Town, build, listen, moved_in, pod, resident_of, settled_pod

DENY = {"podSelector": {"matchLabels": {"app": "client"}}, "policyTypes": ["Egress"]}
WAYS = ["web:8080", "web-service", "node", "metadata"]


@pytest.fixture(scope="module")
def town(control_plane: ControlPlane, node: str) -> Iterator[Town]:
    with build(control_plane) as town:
        yield town


def test_a_new_pod_stays_closed_while_the_enforcer_hangs(town: Town) -> None:
    enforcer = processes.pid_of(MAIN, policies.ENFORCER)
    os.kill(enforcer, signal.SIGSTOP)
    try:
        town.control_plane.apply(pod("late", town.home, {}))
        uid = settled_pod(town.control_plane, town.home, "late")
        town.pods["late"] = resident_of(uid, town.home, "late")
        town.targets["late:8080"] = Target("tcp", town.pods["late"].address, 8080)
        with listen(town.pods["late"], "tcp", 8080):
            town.expect("late", blocked=WAYS)
            town.expect("client", blocked=["late:8080"])
            town.expect_from_node("late:8080")
            os.kill(enforcer, signal.SIGCONT)
            town.expect("late", reaches=WAYS)
            town.expect("client", reaches=["late:8080"])
    finally:
        os.kill(enforcer, signal.SIGCONT)


def test_rules_outlive_the_api_server_and_follow_it_again_when_it_is_back(town: Town) -> None:
    enforcer = processes.pid_of(MAIN, policies.ENFORCER)
    with town.policy(DENY):
        town.control_plane.kill("kube-apiserver")
        try:
            town.expect("client", blocked=WAYS)
            town.expect("free", reaches=WAYS)
            town.expect("db", reaches=WAYS)
        finally:
            town.control_plane.start("kube-apiserver")
        town.expect("client", blocked=WAYS)

        town.control_plane.apply(pod("after", town.home, {"app": "client"}))
        town.pods["after"] = moved_in(town.control_plane, town.home, "after")
        town.expect("after", blocked=WAYS)
        policies.off(town.home)
        town.expect("after", reaches=WAYS)
        policies.on(town.home)
    town.expect("client", reaches=WAYS)
    assert processes.pid_of(MAIN, policies.ENFORCER) == enforcer
    assert processes.is_running(MAIN, policies.ENFORCER)
