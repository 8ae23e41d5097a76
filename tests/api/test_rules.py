"""Each rule says the same in CEL and in Python."""

import itertools

import pytest
from pydantic import ValidationError

from orchestrator.api.agent import EnvFrom, EnvVar, EnvVarSource
from orchestrator.api.hardware import Toleration
from orchestrator.api.network import Network
from orchestrator.api.spec import Competitions
from tests.api.cel import evaluate

KEY = {"name": "keys", "key": "token"}
REF = {"name": "keys"}
CHOICES = {
    Competitions: {"split": ["lite"], "ids": [["spaceship-titanic"]], "exclude": [["AI4Code"]]},
    EnvVarSource: {"secretKeyRef": [KEY], "configMapKeyRef": [KEY]},
    EnvVar: {"name": ["A"], "value": ["", "x"], "valueFrom": [{"secretKeyRef": KEY}]},
    EnvFrom: {"secretRef": [REF], "configMapRef": [REF], "prefix": ["A_"]},
    Toleration: {"key": ["gpu"], "operator": ["Exists", "Equal"], "value": ["x"], "effect": ["NoSchedule"]},
    Network: {"mode": ["open", "restricted", "none"], "allow": [[], [{"cidr": "10.0.0.0/8"}]]},
}


def combinations(part):
    """Every way to write the part with each key left out or holding one of its values."""
    keys = CHOICES[part]
    for values in itertools.product(*([None, *options] for options in keys.values())):
        yield {key: value for key, value in zip(keys, values, strict=True) if value is not None}


def with_defaults(part, written):
    """As an API server sees it: scalar defaults are filled in before rules are looked at."""
    defaults = {
        info.alias: info.default
        for info in part.model_fields.values()
        if isinstance(info.default, str | bool | int) and not info.is_required()
    }
    return {**defaults, **written}


@pytest.mark.parametrize("part", CHOICES, ids=lambda part: part.__name__)
def test_a_rule_holds_in_python_just_when_it_holds_in_cel(part):
    verdicts = set()
    for written in combinations(part):
        broken = [rule.message for rule in part.rules if not evaluate(rule.cel, with_defaults(part, written))]
        try:
            part.model_validate(written)
            found = []
        except ValidationError as error:
            found = [item["msg"] for item in error.errors() if item["type"] == "rule"]
        assert found == broken, written
        verdicts.add(bool(broken))
    assert verdicts == {True, False}


def test_every_part_with_rules_is_in_this_table():
    from orchestrator.api.part import Part

    assert {part for part in Part.__subclasses__() if part.rules} == set(CHOICES)


def test_a_broken_rule_does_not_hide_other_mistakes():
    with pytest.raises(ValidationError) as caught:
        Competitions.model_validate({"split": "nope", "ids": ["not an id"]})
    assert {item["loc"] for item in caught.value.errors()} >= {("split",), ("ids", 0), ()}
