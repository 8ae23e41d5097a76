"""What the pages name is there: tests, values of the chart, fields of a spec."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.core.failures import FAILURES
from tests.docs.pages import DOCS, ROOT, WRITTEN, blocks, rows

NAMED_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
VALUES = yaml.safe_load((ROOT / "helm" / "mlectl" / "values.yaml").read_text())
CRD = yaml.safe_load((ROOT / "manifests" / "crd" / "experimentruns.yaml").read_text())
SPEC = CRD["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]

every_page = pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(DOCS).as_posix())


@cache
def names_in(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef))


@every_page
def test_every_test_that_a_page_names_exists(page):
    named = NAMED_TEST.findall(page.read_text())
    assert [f"{file}::{test}" for file, test in named if test not in names_in(ROOT / file)] == []


def test_every_threat_has_a_test():
    text = (DOCS / "security.md").read_text()
    tables = re.findall(r"\| Threat \|.*\n\| --- .*\n((?:\|.*\n)+)", text)
    threats = [line for table in tables for line in table.splitlines()]
    assert len(tables) == 5
    assert len(threats) > 25
    assert [line for line in threats if not NAMED_TEST.search(line)] == []


def test_whatever_can_die_has_a_test():
    text = (DOCS / "operate.md").read_text()
    (table,) = re.findall(r"\| What dies \|.*\n\| --- .*\n((?:\|.*\n)+)", text)
    assert [line for line in table.splitlines() if not NAMED_TEST.search(line)] == []


def test_every_class_of_failure_has_a_place_to_look_first():
    named = [name for row in rows(DOCS / "operate.md", "| Class |") for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(FAILURES)


def unknown(given: Mapping[str, Any], known: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Keys that the chart does not know. What is empty there may have any keys."""
    for key, value in given.items():
        if key not in known:
            yield f"{above}{key}"
        elif isinstance(value, dict) and known[key]:
            yield from unknown(value, known[key], f"{above}{key}.")


@every_page
def test_the_chart_knows_the_values_that_a_page_writes(page):
    values = [yaml.safe_load(text) for text in blocks(page, "yaml") if text.startswith("# values.yaml")]
    assert [name for one in values for name in unknown(one, VALUES)] == []
    assert values or page.name != "install.md"


def find(names: list[str], tree: Any) -> bool:
    for name in names:
        if not isinstance(tree, dict) or name not in tree:
            return False
        tree = tree[name]
    return True


@every_page
def test_the_values_and_fields_that_a_page_speaks_of_exist(page):
    spoken = re.findall(r"(?:`|--set )((?:[a-z]+\.)+[a-zA-Z]+)(?=[`:=])", page.read_text())
    values = {name for name in spoken if name.split(".")[0] in VALUES}
    fields = {name for name in spoken if name.startswith("spec.") and name != "spec.yaml"}
    assert [name for name in sorted(values) if not find(name.split("."), VALUES)] == []
    assert [name for name in sorted(fields) if not is_field(name.split(".")[1:])] == []


def is_field(names: list[str]) -> bool:
    schema = SPEC
    for name in names:
        schema = schema.get("items", schema).get("properties", {}).get(name)
        if schema is None:
            return False
    return True
