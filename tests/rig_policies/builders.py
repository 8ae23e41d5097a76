"""Pods and policies that say only what a test is about."""

from ipaddress import IPv4Address
from typing import Any

from tests.cluster.rig.policy_rules import Pod, World

Object = dict[str, Any]


def a_pod(last: int, namespace: str = "home", ports: tuple[tuple[str, str, int], ...] = (), **labels: str) -> Pod:
    """Its address ends in `last`."""
    name = f"pod-{last}"
    return Pod(name, namespace, name, IPv4Address(f"10.244.0.{last}"), f"veth{last}", labels, ports)


def a_policy(spec: Object, namespace: str = "home") -> Object:
    return {"metadata": {"name": "policy", "namespace": namespace}, "spec": {"podSelector": {}, **spec}}


def a_world(pods: list[Pod], *specs: Object) -> World:
    return World(pods, {"home": {"team": "us"}, "away": {"team": "them"}}, [a_policy(spec) for spec in specs])
