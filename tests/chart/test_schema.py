"""values.schema.json, values.yaml and its comments are one: what is not known is refused, what is known is told."""

from __future__ import annotations

import json

import pytest
import yaml

from helm import page
from helm.values import CHART, HELMS_OWN, keys, sections
from tests.chart.rendering import BUNDLED, NAMESPACE, READY_MADE, STORE, Refused, helm, needs_helm, template

SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def objects(node, path=""):
    """Every part of the schema that describes an object."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield path, node
        for key, inside in node.items():
            yield from objects(inside, f"{path}/{key}")


def test_the_schema_has_the_values_and_no_others():
    written = yaml.safe_load((CHART / "values.yaml").read_text())
    assert sorted(keys(written, SCHEMA)) == sorted(value.path for section in sections() for value in section.values)


@pytest.mark.parametrize("value", [value for one in sections() for value in one.values], ids=lambda value: value.path)
def test_every_value_has_a_sentence(value):
    assert value.comment.endswith("."), f"write a comment above {value.path} in values.yaml"


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.path)
def test_every_section_has_a_sentence(section):
    assert section.comment.endswith("."), f"write a comment above {section.path} in values.yaml"


@pytest.mark.parametrize("path, node", list(objects(SCHEMA)), ids=lambda part: part if isinstance(part, str) else "")
def test_no_object_takes_what_it_does_not_know(path, node):
    """Maps of words and amounts say what their values are; a list of label expressions is Kubernetes' own."""
    if path not in (f"/properties/{HELMS_OWN}", "/definitions/selector/properties/matchExpressions/items"):
        assert node.get("additionalProperties", True) is not True


def parts(node, path=""):
    """The schema and its sections, in which a key is a value or a section of its own."""
    yield path, node
    for key, inside in node["properties"].items():
        if "properties" in inside:
            yield from parts(inside, f"{path}/{key}")


@pytest.mark.parametrize("path, node", list(parts(SCHEMA)), ids=lambda part: part if isinstance(part, str) else "")
def test_no_value_can_be_taken_away(path, node):
    """As `agents: {namespaces: null}` would: that is refused by its name, and not by a template that misses it."""
    assert set(node["required"]) == node["properties"].keys() - {HELMS_OWN}


def test_the_page_has_not_drifted():
    assert page.PAGE.read_text() == page.page(), "run: make docs"


@needs_helm
@pytest.mark.parametrize(
    "values, told",
    [
        ({"contoller": {}}, "additional properties 'contoller' not allowed"),
        ({"controller": {"replica": 2}}, "at '/controller': additional properties 'replica' not allowed"),
        ({"controller": {"replicas": "2"}}, "at '/controller/replicas': got string, want integer"),
        ({"image": {"pullPolicy": "Sometimes"}}, "at '/image/pullPolicy': value must be one of"),
        ({"image": {"digest": "sha256:1"}}, "at '/image/digest'"),
        ({"validation": {"storage": "50GB"}}, "at '/validation/storage'"),
        ({"agents": {"cache": {"size": "0.0Gi"}}}, "at '/agents/cache/size'"),
        ({"agents": {"namespaces": None}}, "at '/agents': missing property 'namespaces'"),
        ({"store": {**STORE, "endpoint": "s3.example"}}, "at '/store/endpoint'"),
        ({"store": {**STORE, "peers": [{"cidr": "10.0.0.0/8"}]}}, "at '/store/peers/0': additional properties 'cidr'"),
        ({"store": {**STORE, "buckets": {"public": "A"}}}, "at '/store/buckets/public'"),
        ({"agents": {"tolerations": [{"key": "gpu", "operator": "exists"}]}}, "at '/agents/tolerations/0/operator'"),
        ({"network": {"blocked": ["169.254.169.254"]}}, "at '/network/blocked/0'"),
        ({"monitoring": {"runbookUrl": "https://docs.example/"}}, "at '/monitoring/runbookUrl'"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_mistake_is_refused_and_named(values, told):
    with pytest.raises(Refused) as refused:
        template({"store": STORE, **values})
    assert told in str(refused.value)


@needs_helm
@pytest.mark.parametrize("store", [STORE, BUNDLED], ids=["existing store", "bundled store"])
def test_an_image_must_be_named(store):
    """By default there is none: a public registry would have it from whoever takes the name."""
    with pytest.raises(Refused, match=r"image.repository: name the orchestrator's image .* `make images REGISTRY="):
        template({"image": {"repository": ""}, "store": store})


@needs_helm
def test_a_store_must_be_named():
    with pytest.raises(Refused, match=r"Secret: name a Secret .* store.bundled.enabled=true to try things out"):
        template({})


@needs_helm
@pytest.mark.parametrize(
    "values", [{"agents": {"namespaces": ["team", NAMESPACE]}}, {"test": {"namespace": NAMESPACE}}]
)
def test_no_agent_is_asked_for_beside_the_controller(values):
    with pytest.raises(Refused, match="mlectl-system is the chart's own namespace"):
        template({"store": STORE, **values})


@needs_helm
@pytest.mark.parametrize("name", ["2nd", "1.5", "mlectl.prod", "a.b-c"])
def test_a_release_is_not_named_as_no_service_can_be(name):
    with pytest.raises(Refused, match=f"{name} can't be the name of this release"):
        helm("template", name, CHART, f"--namespace={NAMESPACE}", values={"store": STORE})


@needs_helm
@pytest.mark.parametrize("store", [STORE, BUNDLED], ids=["existing store", "bundled store"])
@pytest.mark.parametrize(
    "buckets", [{"private": "mlectl-public"}, {"private": "mlectl-runs"}, {"public": "mlectl-runs"}], ids=str
)
def test_no_two_buckets_are_one(store, buckets):
    with pytest.raises(Refused, match=r"store\.buckets: public is .* name three different buckets"):
        template({"store": {**store, "buckets": buckets}})


@needs_helm
@pytest.mark.parametrize("file", READY_MADE, ids=lambda file: file.stem)
@pytest.mark.parametrize("store", [STORE, BUNDLED], ids=["existing store", "bundled store"])
def test_lint_finds_nothing(file, store):
    helm("lint", "--strict", CHART, f"--values={file}", values={"store": store})
