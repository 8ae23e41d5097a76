"""Specs that are refused, with the sentence that says what to write. `mlectl` and an API server are held to one table.

`theirs` is what an API server says where it has words of its own: for types, missing and unknown keys, repeated entries
and lengths no rule can speak.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Bad:
    """One mistake."""

    path: str
    sentence: str
    """What `mlectl` says of it; an API server the same, but for a found number and a guess at what was meant."""
    spec: dict[str, Any]
    """Keys of a sound spec, replaced."""
    theirs: str | None = None

    @property
    def at_the_server(self) -> str:
        return self.theirs or re.sub(r", not -?\d+$", "", self.sentence.partition("; did you mean")[0])


DROPPED = "an API server drops a null and fills in the default"
AGENT = {"name": "a", "image": "b"}
DURATION = "write a duration such as 24h, 90m or 30s"

BAD = [
    Bad("spec.seeds", "write a number of at least 0, not -1", {"seeds": -1}),
    Bad("spec.seeds", "write a number of at most 100, not 101", {"seeds": 101}),
    Bad("spec.seeds", "empty; write a value or leave the key out", {"seeds": None}, DROPPED),
    Bad("spec.seeds", "write a whole number, not 'three'", {"seeds": "three"}, "must be of type integer"),
    Bad("spec.seeds", "write a whole number, not 2.5", {"seeds": 2.5}, "must be of type integer"),
    Bad("spec.suspend", "write true or false, not 'maybe'", {"suspend": "maybe"}, "must be of type boolean"),
    Bad("spec.parallelism", "write a number of at least 0, not -1", {"parallelism": -1}),
    Bad("spec.parallelism", "write a number of at most 10000, not 10001", {"parallelism": 10001}),
    Bad("spec.benchmark", "write v1 or v2, not 'v3'", {"benchmark": "v3"}),
    Bad("spec.network.mode", "write open, restricted or none, not 'closed'", {"network": {"mode": "closed"}}),
    Bad("spec.competitions.split", "write lite, low, medium, high, all, dev or demo, not 'lit'; did you mean lite?",
        {"competitions": {"split": "lit"}}),
    Bad("spec.competitions", "name either a split or ids, for instance {split: lite} or {ids: [spaceship-titanic]}",
        {"competitions": {"split": "lite", "ids": ["spaceship-titanic"]}}),
    Bad("spec.competitions", "name either a split or ids, for instance {split: lite} or {ids: [spaceship-titanic]}",
        {"competitions": {}}),
    Bad("spec.competitions.ids", "write at least 1 of them, or leave the key out", {"competitions": {"ids": []}}),
    Bad("spec.competitions.ids", "a listed more than once; keep one", {"competitions": {"ids": ["a", "a"]}},
        "Duplicate value"),
    Bad("spec.competitions.ids[0]",
        "write a competition id such as spaceship-titanic (`mlectl competitions` lists them), not 'no id'",
        {"competitions": {"ids": ["no id"]}}),
    Bad("spec.agent", "write a mapping of keys and values, not 'aide'", {"agent": "aide"}, "must be of type object"),
    Bad("spec.agent.image", "missing; write it, for instance image: registry.example/aide:1.2",
        {"agent": {"name": "a"}}, "Required value"),
    Bad("spec.agent.name",
        "write a name of at most 63 small letters, digits and dashes, such as aide-lite, not 'Aide_Lite'",
        {"agent": {"name": "Aide_Lite", "image": "b"}}),
    Bad("spec.agent.image", "write a text on one line, without blanks around it, not ' b'",
        {"agent": {"name": "a", "image": " b"}}),
    Bad("spec.agent.command", "write a list, as in ['bash']", {"agent": {**AGENT, "command": "bash"}},
        "must be of type array"),
    Bad("spec.agent.command", "write at least 1 of them, or leave the key out", {"agent": {**AGENT, "command": []}}),
    Bad("spec.agent.args[0]", "write at most 4096 characters", {"agent": {**AGENT, "args": ["x" * 5000]}}, "Too long"),
    Bad("spec.agent.env[0].name", "write the name of an environment variable, such as OPENAI_MODEL, not '1A'",
        {"agent": {**AGENT, "env": [{"name": "1A"}]}}),
    Bad("spec.agent.env[1].value", 'write text, in quotes where YAML would read something else: "3"',
        {"agent": {**AGENT, "env": [{"name": "A"}, {"name": "B", "value": 3}]}}, "must be of type string"),
    Bad("spec.agent.env[0]", "write either value or valueFrom, not both",
        {"agent": {**AGENT, "env": [
            {"name": "A", "value": "1", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}}]}}),
    Bad("spec.agent.env[0].valueFrom",
        "name either secretKeyRef or configMapKeyRef, for instance {secretKeyRef: {name: keys, key: token}}",
        {"agent": {**AGENT, "env": [{"name": "A", "valueFrom": {}}]}}),
    Bad("spec.agent.env[0].valueFrom.secretKeyRef.name",
        "write the name of a Kubernetes object: small letters, digits, dashes and dots, not 'Keys'",
        {"agent": {**AGENT, "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "Keys", "key": "t"}}}]}}),
    Bad("spec.agent.envFrom[0]", "name either secretRef or configMapRef, for instance {secretRef: {name: keys}}",
        {"agent": {**AGENT, "envFrom": [{}]}}),
    Bad("spec.models.allow[0]", f"write a text on one line, without blanks around it, not ' {'x' * 55}...",
        {"models": {"allow": [" " + "x" * 90]}}),
    Bad("spec.models.allow", "write at least 1 of them, or leave the key out", {"models": {"allow": []}}),
    Bad("spec.models.allow[0]", "write a text on one line, without blanks around it, not 'two\\nlines'",
        {"models": {"allow": ["two\nlines"]}}, "write a text on one line, without blanks around it"),
    Bad("spec.models.maxCostPerRun", "write an amount in US dollars such as '50' or '12.50', not 1.5",
        {"models": {"allow": ["m"], "maxCostPerRun": 1.5}}, "must be of type integer,string"),
    Bad("spec.models.maxCostPerRun", "write an amount in US dollars such as '50' or '12.50', not -1",
        {"models": {"allow": ["m"], "maxCostPerRun": -1}}),
    Bad("spec.models.maxCostPerRun", "write an amount in US dollars such as '50' or '12.50', not 'much'",
        {"models": {"allow": ["m"], "maxCostPerRun": "much"}}),
    Bad("spec.budget.wallClock", f"{DURATION}, not '1 day'", {"budget": {"wallClock": "1 day"}}),
    Bad("spec.budget.wallClock", f"{DURATION}, not ''", {"budget": {"wallClock": ""}}),
    Bad("spec.budget.wallClock", f"{DURATION}, not '999999999999999h'", {"budget": {"wallClock": "999999999999999h"}}),
    Bad("spec.snapshots.every", "write a duration longer than zero, such as 24h, 90m or 30s, not '0s'",
        {"snapshots": {"every": "0s"}}),
    Bad("spec.ttlAfterFinished", f"{DURATION}, not '7d'", {"ttlAfterFinished": "7d"}),
    Bad("spec.resources.cpu", "write a number of CPUs such as 36 or 500m, not '0'", {"resources": {"cpu": "0"}}),
    Bad("spec.resources.cpu", "write a number of CPUs such as 36 or 500m, not 0", {"resources": {"cpu": 0}}),
    Bad("spec.resources.memory", "write an amount with its unit, such as 440Gi or 512Mi, not '440'",
        {"resources": {"memory": "440"}}),
    Bad("spec.resources.memory", "write an amount with its unit, such as 440Gi or 512Mi, not 440",
        {"resources": {"memory": 440}}, "must be of type string"),
    Bad("spec.resources.gpu", "write a mapping of keys and values, not 1", {"resources": {"gpu": 1}},
        "must be of type object"),
    Bad("spec.resources.gpu.count", "write a number of at most 64, not 65", {"resources": {"gpu": {"count": 65}}}),
    Bad("spec.retries.agent", "write a number of at least 0, not -1", {"retries": {"agent": -1}}),
    Bad("spec.placement.nodeSelector.a", 'write text, in quotes where YAML would read something else: "true"',
        {"placement": {"nodeSelector": {"a": True}}}, "must be of type string"),
    Bad("spec.placement.nodeSelector", "write a mapping of keys and values, not a list",
        {"placement": {"nodeSelector": ["a"]}}, "must be of type object"),
    Bad("spec.placement.queue",
        "write a name of at most 63 small letters, digits and dashes, such as aide-lite, not 'a.b'",
        {"placement": {"queue": "a.b"}}),
    Bad("spec.placement.tolerations[0]", "write key and value with operator Equal, or no value with operator Exists",
        {"placement": {"tolerations": [{"operator": "Exists", "value": "x"}]}}),
    Bad("spec.placement.tolerations[0].operator", "write Exists or Equal, not 'Is'",
        {"placement": {"tolerations": [{"key": "gpu", "operator": "Is"}]}}),
    Bad("spec.network", "allow goes with mode: restricted only; set that mode or leave allow out",
        {"network": {"mode": "none", "allow": [{"cidr": "10.0.0.0/8"}]}}),
    Bad("spec.network.allow[0].cidr", "write an address range such as 10.20.0.0/16, not '10.0.0.1/8'",
        {"network": {"allow": [{"cidr": "10.0.0.1/8"}]}}),
    Bad("spec.network.allow[0].cidr", "write an address range such as 10.20.0.0/16, not '10.0.0.1'",
        {"network": {"allow": [{"cidr": "10.0.0.1"}]}}),
    Bad("spec.network.allow[0].ports[0]", "write a number of at least 1, not 0",
        {"network": {"allow": [{"cidr": "10.0.0.0/8", "ports": [0]}]}}),
    Bad("spec.image", "not a known key here; did you mean spec.agent.image?", {"image": "x"}, "unknown field"),
    Bad("spec.wall_clock", "not a known key here; did you mean spec.budget.wallClock?", {"wall_clock": "1h"},
        "unknown field"),
    Bad("spec.budget.wall_clock", "not a known key here; did you mean wallClock?", {"budget": {"wall_clock": "1h"}},
        "unknown field"),
    Bad("spec.budget.xyz", "not a known key; known are wallClock", {"budget": {"xyz": 1}}, "unknown field"),
]  # fmt: skip

each_bad_spec = pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}: {bad.spec}"[:90])
