"""Whatever the schema takes, the controller can read: names that YAML takes for numbers, amounts in quotes or not."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from helm.values import CHART
from orchestrator.api.types import parse_quantity
from orchestrator.cluster.kubernetes.settings import Settings, load_settings
from tests.chart.rendering import Object, helm, needs_helm, pods

QUANTITY = json.loads((CHART / "values.schema.json").read_text())["definitions"]["quantity"]["pattern"]
ODD = ["123", "017", "1e3", "0x1f", "0o17", "null", "true", "no", "y", "2026-01-01"]
"""What YAML takes for something else than text."""

words = st.sampled_from(ODD) | st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
releases = words.filter(lambda word: word[0].isalpha())
names = st.sampled_from(["1.5", "1.e3", "12.30"]) | words
quantities = st.from_regex(QUANTITY, fullmatch=True) | st.integers(1, 10**15) | st.sampled_from([0.5, 34359738368])
seconds = st.integers(1, 10**8)
amounts = st.fixed_dictionaries({"cpu": quantities, "memory": quantities, "storage": quantities})
values = st.fixed_dictionaries(
    {
        "image": st.fixed_dictionaries({"repository": words, "tag": words, "pullSecrets": st.lists(names, max_size=2)}),
        "agents": st.fixed_dictionaries(
            {
                "namespaces": st.lists(words, max_size=2, unique=True),
                "nodeSelector": st.dictionaries(words, words, max_size=2),
                "runtimeClassName": names,
                "priorityClassName": names,
                "queue": names,
                "cache": st.fixed_dictionaries({"claim": names, "size": quantities}),
            }
        ),
        "controller": st.fixed_dictionaries({"patienceSeconds": seconds, "collectionSeconds": seconds}),
        "validation": st.fixed_dictionaries({"storage": quantities, "perMinute": seconds, "existingSecret": names}),
        "workers": st.fixed_dictionaries({"prepare": amounts, "grade": amounts}),
        "store": st.fixed_dictionaries(
            {"region": words, "controllerSecret": names, "graderSecret": names, "caConfigMap": names}
        ),
        "kaggle": st.fixed_dictionaries({"secret": names}),
        "network": st.fixed_dictionaries({"holdSeconds": st.integers(0, 10**8) | st.sampled_from([0.5, 1e7])}),
        "test": st.fixed_dictionaries({"timeoutSeconds": st.integers(60, 10**8)}),
    }
)


def read(items: list[Object]) -> Settings:
    """What the controller makes of the file that the chart gives it."""
    (text,) = (one["data"]["settings.yaml"] for one in items if "settings.yaml" in one.get("data", {}))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "settings.yaml")
        file.write_text(text)
        return load_settings(file)


def texts(node: Any) -> Iterator[Any]:
    """What an API server takes as text alone, wherever it stands in an object."""
    if isinstance(node, dict):
        for key, inside in node.items():
            if key in ("labels", "matchLabels"):
                yield from inside.values()
            elif key in ("name", "namespace", "image", "secretName", "sizeLimit"):
                yield inside
            else:
                yield from texts(inside)
    elif isinstance(node, list):
        for inside in node:
            yield from texts(inside)


def amount(written: Any) -> Any:
    return parse_quantity(str(written))


@needs_helm
@settings(max_examples=20, phases=[Phase.generate])  # each example is a process: to shrink one would take minutes
@given(release=releases, system=words, values=values)
def test_the_controller_reads_what_was_written(release: str, system: str, values: dict[str, Any]) -> None:
    agents, workers, store = values["agents"], values["workers"], values["store"]
    agents["namespaces"] = [name for name in agents["namespaces"] if name != system]
    told = helm("template", release, CHART, f"--namespace={system}", values=values)
    items = [item for item in yaml.safe_load_all(told) if item]
    found = read(items)

    assert (found.namespace, list(found.watch)) == (system, agents["namespaces"])
    assert found.image == f"{values['image']['repository']}:{values['image']['tag']}"
    assert list(found.image_pull_secrets) == values["image"]["pullSecrets"]
    assert found.prepare.secrets == (store["controllerSecret"], values["kaggle"]["secret"])
    assert found.grade.secrets == (store["graderSecret"],)
    assert found.ca_config_map == store["caConfigMap"]
    for name, worker in (("prepare", found.prepare), ("grade", found.grade)):
        given_amounts = {"cpu": worker.resources.cpu, "memory": worker.resources.memory, "storage": worker.storage}
        assert {key: amount(text) for key, text in given_amounts.items()} == {
            key: amount(written) for key, written in workers[name].items()
        }
    assert found.agents.node_selector == agents["nodeSelector"]
    assert (found.agents.runtime_class_name, found.agents.priority_class_name, found.agents.queue) == (
        agents["runtimeClassName"],
        agents["priorityClassName"],
        agents["queue"],
    )
    assert (found.agents.cache.claim, amount(found.agents.cache.size)) == (
        agents["cache"]["claim"],
        amount(agents["cache"]["size"]),
    )
    assert found.patience.total_seconds() == values["controller"]["patienceSeconds"]
    assert found.collection.total_seconds() == values["controller"]["collectionSeconds"]
    assert found.network.hold_seconds == values["network"]["holdSeconds"]

    for pod in pods(items).values():
        assert [one["name"] for one in pod.get("imagePullSecrets") or []] == values["image"]["pullSecrets"]
    for item in items:
        if item["kind"] != "CustomResourceDefinition":
            assert [word for word in texts(item) if not isinstance(word, str)] == [], item
    assert "e+" not in told, "a number with an exponent is no integer to an API server"
