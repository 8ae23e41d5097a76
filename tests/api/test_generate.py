from pathlib import Path

import pytest
import yaml

from orchestrator.api.crd import custom_resource_definition
from orchestrator.api.generate import ROOT, generated_files
from orchestrator.api.types import ExperimentRunStatus, Figure, ResultRow, RunState, SplitFigures
from tests.api.structural import violations

VERSION = custom_resource_definition()["spec"]["versions"][0]
SCHEMA = VERSION["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("name", generated_files())
def test_a_generated_file_is_what_the_types_say(name):
    assert (ROOT / name).read_text(encoding="utf-8") == generated_files()[name], "run `make docs`"


def test_the_spec_is_a_structural_schema_with_bounded_costs():
    assert list(violations(SCHEMA["properties"]["spec"], "spec", bounded=True)) == []


def test_the_status_is_a_structural_schema():
    assert list(violations(SCHEMA["properties"]["status"], "status")) == []


def test_a_violation_would_be_seen():
    broken = {"type": "object", "properties": {"a": {"type": "string", "title": "A"}, "b": {"anyOf": []}}}
    found = list(violations(broken, "spec", bounded=True))
    assert found == ["spec.a: title is not allowed", "spec.a: a text without maxLength", "spec.b: must have one type"]


def test_every_field_is_described():
    def silent(schema, path):
        if "description" not in schema and "items" not in path and "additionalProperties" not in path:
            yield path
        for key, inner in schema.get("properties", {}).items():
            yield from silent(inner, f"{path}.{key}")
        for key in {"items", "additionalProperties"} & set(schema):
            yield from silent(schema[key], f"{path}.{key}")

    assert list(silent(SCHEMA["properties"]["spec"], "spec")) == []
    assert list(silent(SCHEMA["properties"]["status"], "status")) == []


def test_columns_read_fields_that_a_status_has():
    figure = Figure(mean=1, sem=1, low95=1, high95=1)
    status = ExperimentRunStatus(summary={"all": SplitFigures(any_medal_percent=figure)}).to_dict()
    columns = {column["name"]: column["jsonPath"] for column in VERSION["additionalPrinterColumns"]}
    assert list(columns) == ["Phase", "Graded", "Any medal %", "Age"]
    for path in columns.values():
        if path.startswith(".status."):
            assert path.removeprefix(".status.") in status


def test_a_status_has_no_key_that_the_schema_would_drop():
    figure = Figure(mean=1, sem=1, low95=1, high95=1)
    status = ExperimentRunStatus(
        summary={"all": SplitFigures(any_medal_percent=figure)},
        results=(ResultRow(competition="a", seed=0, state=RunState.GRADED, score=1.0, medal="gold", valid=True),),
    ).to_dict()

    def unknown(value, schema, path):
        if isinstance(value, dict) and "properties" in schema:
            for key, inner in value.items():
                if key not in schema["properties"]:
                    yield f"{path}.{key}"
                else:
                    yield from unknown(inner, schema["properties"][key], f"{path}.{key}")
        elif isinstance(value, dict):
            for inner in value.values():
                yield from unknown(inner, schema["additionalProperties"], f"{path}.*")
        elif isinstance(value, list):
            for inner in value:
                yield from unknown(inner, schema["items"], f"{path}[]")

    assert list(unknown(status, SCHEMA["properties"]["status"], "status")) == []


def test_the_definition_has_the_names_that_people_type():
    definition = yaml.safe_load(generated_files()["manifests/crd/experimentruns.yaml"])
    names = definition["spec"]["names"]
    assert definition["metadata"]["name"] == "experimentruns.mlectl.dev"
    assert (names["kind"], names["plural"], names["shortNames"]) == ("ExperimentRun", "experimentruns", ["exp"])
    assert VERSION["subresources"] == {"status": {}}


def test_links_of_the_reference_page_lead_to_its_sections():
    import re

    page = Path(ROOT / "docs/reference/experimentrun.md").read_text(encoding="utf-8")
    anchors = {re.sub(r"[^a-z0-9]", "", line.lower()) for line in page.splitlines() if line.startswith("## ")}
    links = set(re.findall(r"\]\(#(\w+)\)", page))
    assert links
    assert links <= anchors
