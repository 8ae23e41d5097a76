import json

import pytest

import catalog
from orchestrator.cli.doctor.clocks import judge_agents_clock, judge_clocks
from orchestrator.cli.doctor.isolation import judge_isolation, judge_ways
from orchestrator.cli.doctor.kaggle import judge_kaggle
from orchestrator.cli.doctor.pods import Eye, Saw, read_pod, worker_pod
from orchestrator.cli.doctor.stores import judge_identity, judge_speed
from orchestrator.cli.doctor.trial import host_and_port, judge_all, make_eyes
from orchestrator.cli.doctor.trouble import advice
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.worker.orders import DoctorOrder
from tests.cli.doctor.build import experiment, pod, subject
from tests.kubernetes.build import settings

NO = "Cannot write 'doctor/1' in s3://private: AccessDenied"


UNTRUSTED = "Cannot trust the server of https://store:1: certificate verify failed"


def network(reached, trust="", **ways):
    canary = {"reached": reached, "heard": "answered" if reached else "no answer"}
    return Saw({"network": {"canary": canary, "must_reach": ways, "trust": trust}}, node="gpu-0")


@pytest.mark.parametrize(
    "held, free, verdict, words",
    [
        pytest.param(network(False), network(True), "ok", "held back with a policy (no answer)", id="enforced"),
        pytest.param(network(True), network(True), "problem", "nothing holds agents back on gpu-0", id="not enforced"),
        pytest.param(network(False), network(False), "problem", "nothing is proved", id="nobody reaches the canary"),
        pytest.param(Saw(trouble="ErrImagePull"), network(True), "problem", "ErrImagePull", id="no pod"),
    ],
)
def test_policies_are_enforced_if_they_make_the_difference(held, free, verdict, words):
    found = judge_isolation(held, free)
    assert (found.verdict, words in found.found) == (verdict, True), found.found


def test_an_agent_must_reach_the_store_under_its_policy():
    assert judge_ways(network(False, **{"store:1": "", "validation:2": ""})).verdict == "ok"
    shut = judge_ways(network(False, **{"store:1": "no answer", "validation:2": ""}))
    assert (shut.verdict, "does not reach store:1 (no answer)" in shut.found) == ("problem", True)
    assert "store.peers" in shut.what_to_do
    assert "network.dns" in judge_ways(network(False, **{"store:1": "its name is not known"})).what_to_do
    assert judge_ways(Saw(trouble="x")).verdict == "skipped"


def test_an_agent_must_trust_the_store_that_it_reaches():
    found = judge_ways(network(False, UNTRUSTED, **{"store:1": ""}))
    assert (found.verdict, UNTRUSTED in found.found) == ("problem", True)
    assert "store.caConfigMap" in found.what_to_do
    assert "store.peers" in judge_ways(network(False, UNTRUSTED, **{"store:1": "no answer"})).what_to_do


def deeds(private_write=NO, **changes):
    done = {"read": "", "write": "", "delete": ""}
    kept = {"read": "", "write": NO}
    return Saw({"stores": {"public": kept, "private": {"read": "", "write": private_write}, "runs": done, **changes}})


def test_an_identity_may_do_what_it_has_to_and_no_more():
    assert judge_identity("grader", deeds()).verdict == "ok"
    loose = judge_identity("grader", deeds(private_write=""))
    assert (loose.verdict, "it may write to private" in loose.found) == ("problem", True)
    assert judge_identity("controller", deeds()).found.startswith("it can't write in public (and 1 more): Cannot write")
    blind = judge_identity("grader", deeds(private={"read": "AccessDenied", "write": NO}))
    assert (blind.verdict, blind.found) == ("problem", "it can't read in private: AccessDenied")


def test_a_store_that_is_not_trusted_is_no_matter_of_keys():
    assert "store.graderSecret" in judge_identity("grader", deeds(public={"read": "AccessDenied"})).what_to_do
    assert "store.caConfigMap" in judge_identity("grader", deeds(public={"read": UNTRUSTED})).what_to_do
    assert "store.caConfigMap" in judge_speed({"trouble": UNTRUSTED}, 1).what_to_do


def test_a_secret_that_is_not_there_is_told_with_what_to_do():
    found = judge_identity("grader", Saw(trouble='CreateContainerConfigError: secret "x" not found'))
    assert (found.verdict, "create the Secret" in found.what_to_do) == ("problem", True)


def test_a_slow_store_is_measured_by_what_it_costs():
    told = {"up": 50.0, "down": 100.0, "bytes": 67_000_000}
    assert judge_speed(told, 451).found.endswith("1 h 15 min to stage the largest data set, 451 GB")
    assert judge_speed(told, 451).verdict == "ok"
    assert judge_speed({**told, "down": 20.0}, 451).verdict == "warning"
    assert judge_speed({"trouble": "gone"}, 1).verdict == "problem"


@pytest.mark.parametrize(
    "ahead, verdict",
    [
        ({"API server": 0.4, "store": -0.5}, "ok"),
        ({"API server": 0.4, "store": -20.0}, "warning"),
        ({"API server": 3600.0, "store": 0.0}, "problem"),
        ({"API server": 0.4, "store": "ConnectionRefusedError"}, "warning"),
        ({"API server": 100.0, "store": "ConnectionRefusedError"}, "problem"),
    ],
)
def test_clocks_must_agree(ahead, verdict):
    assert judge_clocks(ahead).verdict == verdict


@pytest.mark.parametrize(
    "saw, verdict, words",
    [
        pytest.param(Saw({"clocks": {"API server": 0.4}}, node="gpu-0"), "ok", "+0.4 s", id="right"),
        pytest.param(Saw({"clocks": {"API server": 90.0}}, node="gpu-0"), "problem", "on gpu-0 a pod's", id="off"),
        pytest.param(Saw({"clocks": {"API server": "TimeoutError"}}), "skipped", "TimeoutError", id="kept off"),
        pytest.param(Saw(trouble="ErrImagePull"), "skipped", "ErrImagePull", id="no pod"),
        pytest.param(Saw({}), "skipped", "nobody looked", id="nothing told"),
    ],
)
def test_the_clock_of_a_node_of_the_agents_must_agree_too(saw, verdict, words):
    check = judge_agents_clock(saw)
    assert (check.name, check.verdict, words in check.found) == ("agents' clock", verdict, True), check.found


def test_the_pod_that_no_policy_holds_looks_at_the_clock_where_agents_run():
    whom = subject(network={"canary": "canary:80"})
    eyes = {eye.name: eye for eye in make_eyes(whom, whom.settings, "mlectl-system", [])}
    assert [name for name, eye in eyes.items() if order_of(eye).clocks] == ["free", "controller"]
    there = Saw({**network(True).told, "clocks": {"API server": 90.0}}, node="gpu-0")
    blind = Saw(trouble="x")
    checks = judge_all({"held": network(False), "free": there, "controller": blind, "grader": blind}, whom)
    assert {check.name: check.verdict for check in checks}["agents' clock"] == "problem"


def kaggle(source="env", asked=2, refused=(), trouble=""):
    return judge_kaggle({"source": source, "asked": asked, "refused": refused, "trouble": trouble}, ["a", "b", "c"])


@pytest.mark.parametrize(
    "check, verdict",
    [
        pytest.param(kaggle(source="", asked=0, trouble="none"), "warning", id="demo needs none"),
        pytest.param(kaggle(source="", asked=1, trouble="none"), "problem", id="needed"),
        pytest.param(kaggle(trouble="out of reach"), "problem", id="out of reach"),
        pytest.param(kaggle(refused=[0]), "problem", id="rules"),
        pytest.param(kaggle(), "ok", id="accepted"),
        pytest.param(kaggle(asked=0), "skipped", id="nothing to fetch, so nothing was tried"),
    ],
)
def test_what_kaggle_says(check, verdict):
    assert check.verdict == verdict


def test_rules_that_are_not_accepted_are_listed_all_with_their_pages():
    check = kaggle(refused=[0, 2], trouble="Kaggle has no b.")
    assert check.found == "the rules of 2 of 2 competitions are not accepted. Kaggle has no b."
    assert check.what_to_do.splitlines()[1:] == [
        "https://www.kaggle.com/competitions/a/rules",
        "https://www.kaggle.com/competitions/c/rules",
    ]


def order_of(eye: Eye) -> DoctorOrder:
    (container,) = eye.pod["containers"]
    return next(DoctorOrder.model_validate_json(one["value"]) for one in container["env"] if "{" in one["value"])


def eyes_of(whom):
    return {eye.name: eye for eye in make_eyes(whom, settings(), "mlectl-system", [])}


def test_kaggle_is_asked_about_the_published_competitions_if_nobody_says_what_is_to_run():
    assert order_of(eyes_of(subject())["controller"]).kaggle == catalog.ids("all")
    assert order_of(eyes_of(subject(experiment(ids=["AI4Code"])))["controller"]).kaggle == ("AI4Code",)


def test_an_image_that_nobody_named_is_a_line_that_says_how_to_have_it_tried():
    assert "image" not in eyes_of(subject())
    *_, last = judge_all({"controller": Saw(trouble="x"), "grader": Saw(trouble="x")}, subject())
    assert (last.name, last.verdict) == ("agent's image", "skipped")
    assert "-f FILE" in last.what_to_do
    assert "image" in eyes_of(subject(experiment(split="demo")))


def ended(code, message="", reason="Completed"):
    return {"terminated": {"exitCode": code, "message": message, "reason": reason}}


@pytest.mark.parametrize(
    "seen, is_late, want",
    [
        pytest.param(pod(ended(0, json.dumps({"a": 1}))), False, Saw({"a": 1}, node="n"), id="it has told"),
        pytest.param(pod(ended(0)), False, Saw({}, node="n"), id="nothing to tell"),
        pytest.param(
            pod(ended(1, json.dumps({"role": "doctor", "message": "No."}))),
            False,
            Saw(trouble="exit code 1: No.", node="n"),
            id="it failed with a sentence",
        ),
        pytest.param(
            pod(ended(2, "mlectl: there is no worker 'doctor'")),
            False,
            Saw(trouble="exit code 2: mlectl: there is no worker 'doctor'", node="n"),
            id="an older image",
        ),
        pytest.param(
            pod(ended(137, "", "OOMKilled")), False, Saw(trouble="exit code 137: OOMKilled", node="n"), id="killed"
        ),
        pytest.param(
            pod({"waiting": {"reason": "ErrImagePull", "message": "not found"}}),
            False,
            Saw(trouble="ErrImagePull: not found", node="n"),
            id="no image",
        ),
        pytest.param(pod({"waiting": {"reason": "ContainerCreating"}}), False, None, id="still coming"),
        pytest.param(
            pod({"waiting": {"reason": "ContainerCreating"}}),
            True,
            Saw(trouble="its pod is still Running", node="n"),
            id="too late",
        ),
        pytest.param(
            {
                "spec": {},
                "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "message": "0/3 nodes"}]},
            },
            True,
            Saw(trouble="0/3 nodes"),
            id="no node takes it",
        ),
    ],
)
def test_what_a_pod_tells(seen, is_late, want):
    assert read_pod(seen, is_late) == want


def test_advice_goes_by_the_words_of_whoever_refused():
    assert "helm upgrade" in advice("exit code 2: there is no worker 'doctor'; choose from canary")
    assert "nodeSelector" in advice("0/3 nodes are available: 3 Insufficient memory")
    assert advice("something else") == "see the events of that namespace"


def test_a_pod_of_the_doctors_trusts_whom_other_workers_trust():
    settings = Settings.model_validate(
        {
            "namespace": "mlectl-system",
            "image": "mlectl",
            "stores": {"public": "s3://a", "private": "s3://b", "runs": "s3://c"},
            "validation": {"url": "http://v:8080", "secretFile": "/key"},
            "caConfigMap": "authority",
        }
    )
    made = worker_pod(settings, DoctorOrder(), ["keys"])
    (container,) = made["containers"]
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in made["volumes"]}
    assert "authority" in str(made["volumes"])
    assert container["envFrom"] == [{"secretRef": {"name": "keys"}}]


def test_where_a_url_leads():
    assert host_and_port("https://s3.example") == "s3.example:443"
    assert host_and_port("http://[fd00::1]:8333") == "[fd00::1]:8333"
