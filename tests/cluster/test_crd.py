"""The CustomResourceDefinition on a real API server: it is accepted, fills in defaults, and refuses in our words."""

import pytest

from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus, Figure, Phase, ResultRow, SplitFigures
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import AlreadyExists, ApiError, Invalid
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from tests.api.bad_specs import DROPPED, each_bad_spec
from tests.api.test_changes import ALLOWED, CHANGES
from tests.cluster import crd
from tests.cluster.crd import MANIFESTS, Strict, sound, write_status

STARTED = {"startedAt": "2026-03-01T12:00:00Z"}


@pytest.fixture(scope="module")
def api(control_plane):
    crd.install(control_plane)
    return Api.connect(control_plane.kubeconfig)


@pytest.fixture(scope="module")
def strict(api, control_plane):
    with control_plane.namespace(prefix="crd") as namespace:
        yield Strict.on(control_plane, namespace)


@each_bad_spec
def test_a_bad_spec_is_refused_in_the_words_of_mlectl(strict, bad):
    if bad.theirs == DROPPED:
        strict.create(sound(**bad.spec))
        return
    with pytest.raises(Invalid) as refused:
        strict.create(sound(**bad.spec))
    assert bad.path in str(refused.value)
    assert bad.at_the_server in str(refused.value)


@pytest.mark.parametrize("bad", [{"seeds": -1}, {"benchmark": "v3"}, {"budget": {"wallClock": "0s"}}], ids=str)
def test_a_refusal_is_one_sentence_without_patterns_and_rules(strict, bad):
    with pytest.raises(Invalid) as refused:
        strict.create(sound(**bad))
    words = str(refused.value)
    assert words.count("Invalid value") == 1
    assert "failed rule" not in words
    assert "should" not in words


def test_two_mistakes_are_told_at_once(strict):
    with pytest.raises(Invalid) as refused:
        strict.create(sound(seeds=-1, benchmark="v3", competitions={"split": "lite", "ids": ["a"]}))
    for sentence in ("write a number of at least 0", "write v1 or v2", "name either a split or ids"):
        assert sentence in str(refused.value)


@pytest.mark.parametrize("name", ["a" * 64, "a.b"])
def test_a_name_that_cannot_be_a_label_is_refused(strict, name):
    with pytest.raises(Invalid, match=r"metadata\.name: write a name of at most 63 small letters, digits and dashes"):
        strict.create(sound(name))


@pytest.mark.parametrize("path", sorted((MANIFESTS / "samples").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_sample_is_accepted(strict, path):
    import yaml

    strict.create(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    "spec",
    [
        {"resources": {"cpu": 2}},
        {"resources": {"cpu": "500m"}},
        {"models": {"allow": ["gpt-x"], "maxCostPerRun": 0}},
        {"budget": {"wallClock": "999999h9999999m9999s"}},
        {"network": {"allow": [{"cidr": "2001:db8::/32", "ports": [443]}]}},
        {"placement": {"tolerations": [{"operator": "Exists"}]}},
        {"competitions": {"ids": [f"competition-{number}" for number in range(500)]}},
    ],
    ids=lambda spec: str(spec)[:60],
)
def test_what_mlectl_takes_the_api_server_takes(strict, spec):
    ExperimentRunSpec.model_validate(sound(**spec)["spec"])
    strict.create(sound(**spec))


def test_defaults_are_the_ones_of_mlectl(api, namespace):
    made = api.create(EXPERIMENTS, namespace, sound())
    assert ExperimentRunSpec.model_validate(made["spec"]) == ExperimentRunSpec.model_validate(sound()["spec"])
    assert made["spec"]["resources"] == {
        "cpu": "36",
        "memory": "440Gi",
        "gpu": {"count": 1, "resource": "nvidia.com/gpu"},
        "storage": "500Gi",
    }
    assert made["spec"]["budget"] == {"wallClock": "24h"}


def test_a_name_is_taken_once_in_a_namespace_and_free_in_another(api, namespaces):
    first, second = namespaces(), namespaces()
    here, there = (api.create(EXPERIMENTS, one, sound()) for one in (first, second))
    assert here["metadata"]["uid"] != there["metadata"]["uid"]
    with pytest.raises(AlreadyExists):
        api.create(EXPERIMENTS, first, sound())
    write_status(api, first, "aide-lite", phase="Running")
    assert "status" not in api.get(EXPERIMENTS, second, "aide-lite")
    assert [item["metadata"]["namespace"] for item in api.list(EXPERIMENTS, second).items] == [second]
    api.delete(EXPERIMENTS, first, "aide-lite")
    assert api.get(EXPERIMENTS, first, "aide-lite") is None
    assert api.get(EXPERIMENTS, second, "aide-lite")["metadata"]["uid"] == there["metadata"]["uid"]


@pytest.mark.parametrize("key", CHANGES)
def test_a_started_experiment_keeps_its_spec_but_for_three_fields(api, namespace, key):
    api.create(EXPERIMENTS, namespace, sound())
    change = {"spec": {key: CHANGES[key]}}
    if key == "competitions":
        change["spec"][key] = {"split": "all"}
    write_status(api, namespace, "aide-lite", **STARTED)
    if key in ALLOWED:
        changed = api.patch(EXPERIMENTS, namespace, "aide-lite", change)
        assert changed["spec"][key] == CHANGES[key]
        assert changed["metadata"]["generation"] == 2
        return
    with pytest.raises(Invalid, match=rf"spec\.{key} cannot change once the experiment has started \(only parallelism"):
        api.patch(EXPERIMENTS, namespace, "aide-lite", change)


def test_models_can_neither_be_added_nor_taken_away_after_the_start(api, namespace):
    api.create(EXPERIMENTS, namespace, sound(models={"allow": ["gpt-x"]}))
    write_status(api, namespace, "aide-lite", **STARTED)
    with pytest.raises(Invalid, match=r"spec\.models cannot change"):
        api.patch(EXPERIMENTS, namespace, "aide-lite", {"spec": {"models": None}})


def test_before_the_start_everything_may_change(api, namespace):
    api.create(EXPERIMENTS, namespace, sound())
    changed = api.patch(EXPERIMENTS, namespace, "aide-lite", {"spec": CHANGES})
    assert (changed["spec"]["seeds"], changed["spec"]["benchmark"]) == (4, "v2")


def test_status_is_the_controllers_and_keeps_all_that_it_writes(api, namespace):
    made = api.create(EXPERIMENTS, namespace, {**sound(), "status": {"phase": "Succeeded"}})
    assert "status" not in made
    figure = Figure(mean=36.36, sem=1.52, low95=33.4, high95=39.3)
    status = ExperimentRunStatus(
        phase=Phase.RUNNING,
        summary={"low": SplitFigures(complete_seeds=1, any_medal_percent=figure)},
        results=tuple(ResultRow(competition=f"c{n}", seed=n % 3, state="Graded", score=0.5) for n in range(1000)),
        report="s3://runs/report.json",
        **STARTED,
    ).to_dict()
    written = write_status(api, namespace, "aide-lite", **status)
    assert written["status"] == status
    assert written["metadata"]["generation"] == made["metadata"]["generation"]
    api.patch(EXPERIMENTS, namespace, "aide-lite", {"spec": {"suspend": True}, "status": {"phase": "Failed"}})
    assert api.get(EXPERIMENTS, namespace, "aide-lite")["status"]["phase"] == "Running"


def test_a_status_that_makes_no_sense_is_refused(api, namespace):
    api.create(EXPERIMENTS, namespace, sound())
    with pytest.raises(ApiError, match="Unsupported value"):
        write_status(api, namespace, "aide-lite", phase="Nearly")
