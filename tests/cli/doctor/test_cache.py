"""What the doctor says of a cache's volume."""

from pathlib import Path

import pytest
import yaml

from orchestrator.cli.doctor.cache import judge_cache
from orchestrator.cluster.kubernetes.settings import CacheSettings

SAMPLE = Path(__file__).parents[3] / "manifests" / "cache" / "datasets.yaml"
VOLUME, CLAIM = yaml.safe_load_all(SAMPLE.read_text())
ONCE = {**CLAIM, "spec": {**CLAIM["spec"], "accessModes": ["ReadWriteOnce"]}}
PINNED = {**VOLUME, "spec": {**VOLUME["spec"], "nodeAffinity": {"required": {"nodeSelectorTerms": []}}}}


@pytest.mark.parametrize(
    "claim, volume, verdict, words",
    [
        pytest.param(CLAIM, VOLUME, "ok", "datasets in mlectl-runs", id="the sample"),
        pytest.param(CLAIM, None, "ok", "datasets in mlectl-runs", id="a volume that may not be read"),
        pytest.param(None, None, "problem", "would wait for ever", id="no claim"),
        pytest.param(ONCE, VOLUME, "warning", "is not ReadWriteMany", id="one node at a time"),
        pytest.param(CLAIM, PINNED, "warning", "no agent runs elsewhere", id="a volume of some nodes"),
    ],
)
def test_a_volume_that_keeps_agents_from_nodes_is_told(claim, volume, verdict, words):
    found = judge_cache("datasets", "mlectl-runs", claim, volume)
    assert found.verdict == verdict
    assert words in found.found


def test_the_sample_is_the_charts_default_size_and_its_halves_belong_together():
    size = {"storage": CacheSettings().size}
    assert (VOLUME["spec"]["capacity"], CLAIM["spec"]["resources"]["requests"]) == (size, size)
    assert CLAIM["spec"]["volumeName"] == VOLUME["metadata"]["name"]
    named = {key: CLAIM["metadata"][key] for key in ("name", "namespace")}
    assert VOLUME["spec"]["claimRef"] == named
