"""ExperimentRuns by kubectl: what a person types who has nothing else."""

import json
import threading

import pytest

from orchestrator.api.types import ExperimentRunStatus, Figure, Phase, RunCounts, SplitFigures
from orchestrator.cluster.kubernetes.api import Api
from tests.cluster import crd
from tests.cluster.crd import MANIFESTS, sound, write_status
from tests.cluster.rig.errors import RigError

FIGURE = Figure(mean=36.36, sem=1.52, low95=33.4, high95=39.3)
RUNNING = ExperimentRunStatus(
    phase=Phase.RUNNING,
    runs=RunCounts(total=66, graded=41, running=25),
    summary={"low": SplitFigures(complete_seeds=2, any_medal_percent=FIGURE)},
)


@pytest.fixture(scope="module")
def api(control_plane):
    crd.install(control_plane)
    return Api.connect(control_plane.kubeconfig)


@pytest.fixture
def apply(api, kubectl, namespace):
    """Server-side apply of an ExperimentRun into the test's namespace."""

    def apply(body):
        return kubectl("apply", "--server-side", "-n", namespace, "-f", "-", input=json.dumps(body))

    return apply


def test_the_table_tells_how_far_it_is(api, apply, kubectl, namespace):
    apply(sound())
    write_status(api, namespace, "aide-lite", **RUNNING.to_dict())
    head, line = kubectl("get", "exp", "-n", namespace).splitlines()
    assert head.replace("ANY MEDAL %", "MEDAL").split() == ["NAME", "PHASE", "GRADED", "MEDAL", "AGE"]
    assert line.replace("36.4 ± 1.5", "MEDAL").split()[:4] == ["aide-lite", "Running", "41/66", "MEDAL"]


def test_applying_twice_changes_nothing(apply, kubectl, namespace):
    apply(sound())
    first = kubectl("get", "exp", "aide-lite", "-n", namespace, "-o", "jsonpath={.metadata.resourceVersion}")
    assert "aide-lite serverside-applied" in apply(sound())
    assert kubectl("get", "exp", "aide-lite", "-n", namespace, "-o", "jsonpath={.metadata.resourceVersion}") == first


def test_applying_the_definition_twice_is_fine(api, control_plane, kubectl):
    crd.install(control_plane)
    told = kubectl("get", "crd", "experimentruns.mlectl.dev", "-o", "json")
    conditions = {one["type"]: one["status"] for one in json.loads(told)["status"]["conditions"]}
    assert conditions["Established"] == "True"
    assert "NonStructuralSchema" not in conditions


def test_what_the_controller_wrote_stays_when_the_file_is_applied_again(api, apply, kubectl, namespace):
    apply(sound(parallelism=4))
    write_status(api, namespace, "aide-lite", **RUNNING.to_dict(), startedAt="2026-03-01T12:00:00Z")
    apply(sound(parallelism=8))
    found = json.loads(kubectl("get", "exp", "aide-lite", "-n", namespace, "-o", "json"))
    assert (found["spec"]["parallelism"], found["status"]["phase"]) == (8, "Running")


def test_a_refusal_reads_well(apply):
    with pytest.raises(RigError) as refused:
        apply(sound(seeds=-1))
    assert str(refused.value).endswith("write a number of at least 0")
    with pytest.raises(RigError) as refused:
        apply(sound(budget={"wallClock": "1 day"}))
    assert str(refused.value).endswith("write a duration such as 24h, 90m or 30s, not '1 day'")


@pytest.mark.parametrize(
    "path, want",
    [
        ("spec", "What to run."),
        ("spec.competitions.split", "lite (the same as low)"),
        ("spec.placement.tolerations.operator", "Write Exists or Equal."),
        ("spec.agent.env.valueFrom.secretKeyRef", "A key of a Secret."),
        ("status.summary", "Figures by split."),
    ],
)
def test_kubectl_explains_a_field(api, kubectl, path, want):
    assert want in kubectl("explain", f"experimentrun.{path}")


def test_waiting_for_the_end(api, apply, kubectl, namespace):
    apply(sound())
    wait = ["wait", "--for=condition=Complete", "exp/aide-lite", "-n", namespace]
    with pytest.raises(RigError, match="timed out"):
        kubectl(*wait, "--timeout=1s")
    told = []
    waiting = threading.Thread(target=lambda: told.append(kubectl(*wait, "--timeout=60s")))
    waiting.start()
    done = {"type": "Complete", "status": "True", "reason": "Finished", "lastTransitionTime": "2026-03-01T12:00:00Z"}
    write_status(api, namespace, "aide-lite", phase="Succeeded", conditions=[done])
    waiting.join()
    assert told == ["experimentrun.mlectl.dev/aide-lite condition met\n"]


@pytest.mark.parametrize("name", ["exp", "experimentrun", "experimentruns", "experimentruns.v1alpha1.mlectl.dev"])
def test_the_kind_answers_to_its_names(api, apply, kubectl, namespace, name):
    apply(sound())
    assert kubectl("get", name, "-n", namespace, "-o", "name") == "experimentrun.mlectl.dev/aide-lite\n"


def test_a_label_selects(api, apply, kubectl, namespace):
    apply({**sound(), "metadata": {"name": "mine", "labels": {"team": "a"}}})
    apply(sound("other"))
    assert kubectl("get", "exp", "-n", namespace, "-l", "team=a", "-o", "name").split() == [
        "experimentrun.mlectl.dev/mine"
    ]


def test_the_samples_can_be_applied_as_they_are(api, kubectl, namespace):
    told = kubectl("apply", "--server-side", "-n", namespace, "-f", str(MANIFESTS / "samples"))
    assert told.count("serverside-applied") == len(list((MANIFESTS / "samples").glob("*.yaml")))
