"""The Jobs as they are built. tests/cluster/test_jobs.py shows that an API server takes them."""

import json
from decimal import Decimal

import pytest
from pydantic import ValidationError

from orchestrator.api.types import parse_quantity
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.jobs import (
    DO_NOT_DISRUPT,
    START,
    agent_job,
    grade_job,
    is_told_to_stop,
    label_value,
    prepare_job,
    stop_patch,
)
from orchestrator.cluster.kubernetes.settings import BadSettings, Settings, load_settings
from orchestrator.worker.orders import CourierOrder, GradeOrder, PrepareOrder, ProbeOrder, StageOrder
from orchestrator.worker.tokens import notice_path
from tests.kubernetes.build import TOKEN, UID, agent_start, experiment, grade_start, prepare_start, settings


def built(start=None, given=None, **fields):
    return agent_job(experiment(**fields), start or agent_start(), given or settings(), TOKEN)


def pod_of(job):
    return job["spec"]["template"]["spec"]


def containers_of(job):
    pod = pod_of(job)
    return {one["name"]: one for one in [*pod.get("initContainers", []), *pod["containers"]]}


def environment_of(container):
    return {one["name"]: one.get("value") for one in container["env"]}


def order_of(container, kind):
    """As the container's process reads it: Kubernetes turns $$ into $."""
    return kind.model_validate_json(environment_of(container)["MLECTL_ORDER"].replace("$$", "$"))


def asked_by_pod(job, resource):
    """What a scheduler reckons with: the agent with what stays beside it, or the largest that runs before."""
    amounts = {name: one["resources"]["requests"].get(resource, "0") for name, one in containers_of(job).items()}
    beside = sum(parse_quantity(amounts[name]) for name in ("agent", "courier"))
    return max(
        beside, *(parse_quantity(amount) for name, amount in amounts.items() if name not in ("agent", "courier"))
    )


@pytest.mark.parametrize("mode", ["open", "restricted", "none"])
@pytest.mark.parametrize(
    "resources",
    [
        pytest.param({}, id="the published setting"),
        pytest.param({"cpu": "1.5", "memory": "3G", "storage": "10Gi", "gpu": {"count": 0}}, id="odd amounts"),
        pytest.param({"cpu": "100m", "memory": "64Mi", "storage": "64Mi"}, id="less than a courier likes"),
    ],
)
def test_a_pod_asks_for_what_the_spec_says_and_for_no_more(mode, resources):
    wanted = experiment(resources=resources).spec.resources
    job = built(resources=resources, network={"mode": mode})
    assert asked_by_pod(job, "cpu") == parse_quantity(wanted.cpu)
    assert asked_by_pod(job, "memory") == parse_quantity(wanted.memory)
    assert asked_by_pod(job, "ephemeral-storage") == parse_quantity(wanted.storage)
    for name, container in containers_of(job).items():
        limits, requests = container["resources"]["limits"], container["resources"]["requests"]
        disk = {"ephemeral-storage": limits["ephemeral-storage"]} if name == "courier" else {}
        assert limits == {**requests, **disk}
        assert all(parse_quantity(amount) > 0 for amount in requests.values())


@pytest.mark.parametrize("storage, room", [("500Gi", 12.5 * 2**30), ("64Mi", 64 * 2**20)])
def test_no_agent_is_over_its_disk_for_what_the_courier_copies(storage, room):
    found = containers_of(built(resources={"storage": storage}))
    limits = (found[name]["resources"]["limits"]["ephemeral-storage"] for name in ("agent", "courier"))
    assert sum(parse_quantity(limit) for limit in limits) == parse_quantity(storage) + Decimal(room)


def test_the_agent_alone_has_the_gpus():
    found = {name: one["resources"]["limits"].get("nvidia.com/gpu") for name, one in containers_of(built()).items()}
    assert found == {"stage": None, "probe": None, "courier": None, "agent": "1"}
    amd = containers_of(built(resources={"gpu": {"count": 4, "resource": "amd.com/gpu"}}))["agent"]["resources"]
    assert amd["limits"]["amd.com/gpu"] == amd["requests"]["amd.com/gpu"] == "4"
    assert "nvidia.com/gpu" not in containers_of(built(resources={"gpu": {"count": 0}}))["agent"]["resources"]["limits"]


@pytest.mark.parametrize("job", [built(), prepare_job(prepare_start(), settings())], ids=["agent", "other"])
def test_every_container_is_held_tight(job):
    pod = pod_of(job)
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert "shareProcessNamespace" not in pod
    assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["fsGroup"] == 1000
    for name, container in containers_of(job).items():
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["securityContext"]["readOnlyRootFilesystem"] is (name != "agent")


def test_the_agent_sees_its_own_folders_and_nothing_of_its_helpers():
    agent = containers_of(built())["agent"]
    mounts = {one["mountPath"]: (one["name"], one.get("readOnly", False)) for one in agent["volumeMounts"]}
    assert mounts == {
        "/home/data": ("data", True),
        "/home/submission": ("submission", False),
        "/home/code": ("code", False),
        "/home/logs": ("logs", False),
        "/home/instructions.txt": ("task", True),
        "/mlectl": ("control", False),
        "/dev/shm": ("memory", False),
    }
    without_hook = {key: value for key, value in agent.items() if key != "lifecycle"}
    assert TOKEN not in json.dumps(without_hook)
    assert "MLECTL" not in json.dumps(without_hook)
    assert agent["lifecycle"]["preStop"]["httpGet"] == {"port": 5001, "path": notice_path(TOKEN)}


def test_the_helpers_come_in_order_and_the_courier_stays():
    pod = pod_of(built())
    assert [(one["name"], one.get("restartPolicy")) for one in pod["initContainers"]] == [
        ("stage", None),
        ("probe", None),
        ("courier", "Always"),
    ]
    assert [one["name"] for one in pod_of(built(network={"mode": "open"}))["initContainers"]] == ["stage", "courier"]


def test_what_the_workers_are_told():
    start = agent_start(2, budget_seconds=3600.0, consumed_seconds=82_800.0, resume_from=1)
    agent = {"name": "a", "image": "a:1", "resume": True, "command": ["echo", "$(date) $$"]}
    found = containers_of(built(start, agent=agent, snapshots={"every": "10m"}))
    stage = order_of(found["stage"], StageOrder)
    assert (stage.resume_from, stage.time_limit_seconds, str(stage.data)) == (1, 3600.0, "/home/data")
    assert stage.desk.token == TOKEN
    assert order_of(found["probe"], ProbeOrder).desk == stage.desk
    courier = order_of(found["courier"], CourierOrder)
    assert (courier.attempt, courier.budget_seconds, courier.consumed_seconds) == (2, 3600.0, 82_800.0)
    assert (courier.keep_state, courier.snapshot_every_seconds) == (True, 600.0)
    assert (courier.listen, courier.notice) == ("127.0.0.1:5000", "0.0.0.0:5001")
    assert str(courier.scratch) == "/private/courier"
    assert courier.facts["command"] == ["echo", "$(date) $$"]
    assert (courier.facts["cluster"], courier.facts["isolation"]) == ("kubernetes", "pod")
    fields = {one["name"]: one["valueFrom"]["fieldRef"]["fieldPath"] for one in found["courier"]["env"][-2:]}
    assert fields == {"MLECTL_NODE": "spec.nodeName", "MLECTL_POD": "metadata.name"}


def test_what_the_spec_allows_beyond_the_mode_is_recorded():
    allowed = [{"cidr": "10.20.0.5/32", "ports": [443]}, {"cidr": "128.0.0.0/1", "ports": []}]
    courier = containers_of(built(network={"mode": "restricted", "allow": allowed}))["courier"]
    assert order_of(courier, CourierOrder).facts["network_allow"] == allowed


def test_a_store_that_strangers_share_is_told_beside_the_score():
    shared = settings(network={"store": [{"ipBlock": {"cidr": "52.0.0.0/8"}}], "allowPublicStore": True})
    facts = order_of(containers_of(built(given=shared))["courier"], CourierOrder).facts
    assert any("allowPublicStore" in departure for departure in facts["departures"])
    unheld = containers_of(built(given=shared, network={"mode": "open"}))["courier"]
    assert not any("allowPublicStore" in one for one in order_of(unheld, CourierOrder).facts["departures"])


def test_the_agents_environment_is_the_specs_and_ours_wins():
    secret = {"secretKeyRef": {"name": "keys", "key": "token"}}
    env = [{"name": "MODEL", "value": "x"}, {"name": "SEED", "value": "9"}, {"name": "KEY", "valueFrom": secret}]
    agent = {"name": "a", "image": "a:1", "env": env, "envFrom": [{"secretRef": {"name": "more"}}]}
    container = containers_of(built(agent=agent))["agent"]
    found = environment_of(container)
    assert (found["MODEL"], found["SEED"], found["CONTROL_DIR"]) == ("x", "0", "/mlectl")
    assert found["HARDWARE"] == "36 CPUs, 440 GiB of memory, 1 GPU"
    assert {
        "name": "KEY",
        "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token", "optional": False}},
    } in container["env"]
    assert container["envFrom"] == [{"secretRef": {"name": "more", "optional": False}}]
    names = [one["name"] for one in container["env"]]
    assert len(names) == len(set(names))


def test_the_command_runs_under_the_launcher():
    agent = {"name": "a", "image": "a:1", "command": ["python", "$$"], "args": ["--fast"]}
    command = containers_of(built(agent=agent))["agent"]["command"]
    assert command == ["/bin/sh", "/mlectl/launch.sh", "--", "python", "$$$$", "--fast"]
    assert containers_of(built())["agent"]["command"][3:] == ["bash", "/home/agent/start.sh"]


def test_placement():
    toleration = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
    wanted = {
        "nodeSelector": {"pool": "a10"},
        "tolerations": [toleration],
        "runtimeClassName": "gvisor",
        "priorityClassName": "high",
    }
    pod = pod_of(built(placement=wanted))
    assert {name: pod[name] for name in wanted} == wanted
    assert not wanted.keys() & pod_of(built()).keys()
    courier = order_of(containers_of(built(placement=wanted))["courier"], CourierOrder)
    assert courier.facts["isolation"] == "pod, runtime class gvisor"


def test_where_the_spec_says_nothing_the_operators_placement_holds():
    usual = {"nodeSelector": {"pool": "a10"}, "runtimeClassName": "gvisor", "queue": "gpus"}
    given = settings(agents=usual)
    job = built(given=given)
    assert pod_of(job)["nodeSelector"] == {"pool": "a10"}
    assert job["metadata"]["labels"][labels.QUEUE] == "gpus"
    assert order_of(containers_of(job)["courier"], CourierOrder).facts["isolation"] == "pod, runtime class gvisor"
    own = built(given=given, placement={"nodeSelector": {"pool": "h100"}, "queue": "mine"})
    assert pod_of(own)["nodeSelector"] == {"pool": "h100"}
    assert own["metadata"]["labels"][labels.QUEUE] == "mine"


def test_a_queue_lets_the_job_go():
    queued = built(placement={"queue": "gpus"})
    assert queued["metadata"]["labels"][labels.QUEUE] == "gpus"
    assert queued["spec"]["suspend"] is True
    assert "suspend" not in built()["spec"]


def test_one_job_is_one_attempt():
    spec = built()["spec"]
    assert (spec["backoffLimit"], spec["completions"], spec["parallelism"]) == (0, 1, 1)
    (rule,) = spec["podFailurePolicy"]["rules"]
    assert (rule["action"], rule["onPodConditions"][0]["type"]) == ("FailJob", "DisruptionTarget")
    assert "ttlSecondsAfterFinished" not in spec
    assert "activeDeadlineSeconds" not in spec, "it would run while the pod waits for a node"


def test_times_leave_room_for_collection_and_the_backstop_is_far():
    pod = pod_of(built(given=settings(collection="PT10M")))
    assert pod["terminationGracePeriodSeconds"] == 60 + 600
    assert pod["activeDeadlineSeconds"] == 86_400 + 660 + 86_400


def test_what_a_job_was_made_for_is_written_on_it():
    start = agent_start(3, resume_from=2, consumed_seconds=5.0)
    job = built(start)
    assert START.validate_json(job["metadata"]["annotations"][labels.START]) == start
    found = job["metadata"]["labels"]
    assert found == job["spec"]["template"]["metadata"]["labels"]
    assert (found[labels.EXPERIMENT_UID], found[labels.ROLE], found[labels.ATTEMPT]) == (UID, "agent", "3")
    assert found[labels.NETWORK] == "restricted"


def test_an_agents_job_belongs_to_its_experiment_and_is_not_to_be_moved():
    job = built()
    (owner,) = job["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("ExperimentRun", UID)
    assert job["spec"]["template"]["metadata"]["annotations"] == {
        "karpenter.sh/do-not-disrupt": "true",
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    }


@pytest.mark.parametrize(
    "text, want", [("short", "short"), ("a" * 70, "a" * 63), ("b" * 62 + "-c", "b" * 62)], ids=["fits", "cut", "tidy"]
)
def test_a_long_name_is_cut_to_a_label(text, want):
    assert label_value(text) == want


def test_prepare_and_grade_jobs_live_beside_the_controller_with_their_own_keys():
    given = settings(
        prepare={"secrets": ["prepare"], "resources": {"cpu": "4", "memory": "8Gi"}},
        grade={"secrets": ["grade"], "resources": {"cpu": "1", "memory": "2Gi"}, "nodeSelector": {"pool": "cpu"}},
    )
    prepare = prepare_job(prepare_start(), given)
    grade = grade_job(experiment(), grade_start(), given)
    for job, secret in ((prepare, "prepare"), (grade, "grade")):
        assert job["metadata"]["namespace"] == "mlectl-system"
        assert "ownerReferences" not in job["metadata"], "an owner must be in the same namespace"
        (container,) = pod_of(job)["containers"]
        assert container["envFrom"] == [{"secretRef": {"name": secret}}]
        assert "ttlSecondsAfterFinished" not in job["spec"], "a failed try is remembered as long as its experiment"
        assert job["spec"]["template"]["metadata"]["annotations"] == DO_NOT_DISRUPT
    assert grade["metadata"]["labels"][labels.EXPERIMENT_NAMESPACE] == "default"
    assert pod_of(grade)["nodeSelector"] == {"pool": "cpu"}
    assert order_of(containers_of(prepare)["prepare"], PrepareOrder).stores == given.stores
    order = order_of(containers_of(grade)["grade"], GradeOrder)
    assert (order.attempt, order.experiment) == (2, f"experiments/default/aide-lite-{UID[:8]}")


@pytest.mark.parametrize("size_gb, want", [(0.0, "20Gi"), (100.0, 20 * 2**30 + 400 * 10**9), (1000.0, "2Ti")])
def test_a_large_competition_gets_more_disk_up_to_the_settings(size_gb, want):
    (container,) = pod_of(prepare_job(prepare_start(), settings(), size_gb))["containers"]
    found = parse_quantity(container["resources"]["limits"]["ephemeral-storage"])
    assert found == (parse_quantity(want) if isinstance(want, str) else want)


@pytest.mark.parametrize(
    "size_gb, start, want",
    [
        pytest.param(0.0, {}, 8 * 2**30, id="a small one"),
        pytest.param(2.0, {}, 8 * 2**30 + 8 * 10**9, id="a larger one"),
        pytest.param(0.0, {"attempt": 2}, 8 * 2**30, id="one that was evicted before"),
        pytest.param(0.0, {"attempt": 3, "out_of_memory": 1}, 16 * 2**30, id="one that ran out of memory once"),
        pytest.param(100.0, {}, 32 * 2**30, id="never more than the settings"),
        pytest.param(100.0, {"out_of_memory": 60}, 32 * 2**30, id="however often it ran out"),
    ],
)
def test_a_large_competition_gets_more_memory_and_so_does_one_that_ran_out_of_it(size_gb, start, want):
    (container,) = pod_of(prepare_job(prepare_start(**start), settings(), size_gb))["containers"]
    assert parse_quantity(container["resources"]["limits"]["memory"]) == want


def test_a_prepare_job_is_nobodys_and_its_downloads_are_kept():
    job = prepare_job(prepare_start(2), settings())
    marked = job["metadata"]["labels"]
    assert marked == job["spec"]["template"]["metadata"]["labels"]
    assert not {labels.EXPERIMENT, labels.EXPERIMENT_UID, labels.EXPERIMENT_NAMESPACE} & marked.keys()
    assert (marked[labels.BENCHMARK], marked[labels.COMPETITION], marked[labels.ATTEMPT]) == ("v1", "birds", "2")
    order = order_of(containers_of(job)["prepare"], PrepareOrder)
    assert (order.competition, order.version, order.keep_archive) == ("birds", "v1", True)


def test_agents_beside_the_controller_are_refused():
    assert settings(watch=["team"]).watch == ("team",)
    with pytest.raises(ValidationError, match="watch names mlectl-system, the controller's own namespace"):
        settings(watch=["team", "mlectl-system"])


def test_a_public_store_must_be_asked_for(tmp_path):
    written = settings().model_dump(mode="json", by_alias=True)
    written["network"]["store"] = [{"ipBlock": {"cidr": "0.0.0.0/0"}}]
    file = tmp_path / "settings.yaml"
    file.write_text(json.dumps(written))
    with pytest.raises(BadSettings, match=r"store names public addresses \(0.0.0.0/0\).* allowPublicStore: true"):
        load_settings(file)
    private = ("10.0.0.0/8", "192.168.1.5/32", "100.64.0.0/10", "10.20.30.40/24", "fd00::/8")
    written["network"]["store"] = [{"podSelector": {}}, *({"ipBlock": {"cidr": cidr}} for cidr in private)]
    assert Settings.model_validate(written).network.store


def test_every_worker_trusts_the_stores_authorities_and_the_agent_is_told_nothing_of_them():
    given = settings(caConfigMap="store-ca")
    jobs = [
        built(given=given),
        prepare_job(prepare_start(), given),
        grade_job(experiment(), grade_start(), given),
    ]
    containers = {name: one for job in jobs for name, one in containers_of(job).items()}
    agent = containers.pop("agent")
    assert sorted(containers) == ["courier", "grade", "prepare", "probe", "stage"]
    for container in containers.values():
        assert environment_of(container)["SSL_CERT_FILE"] == "/etc/mlectl-ca/ca.crt"
        assert {"name": "authorities", "mountPath": "/etc/mlectl-ca", "readOnly": True} in container["volumeMounts"]
    for job in jobs:
        assert {"name": "authorities", "configMap": {"name": "store-ca", "optional": True}} in pod_of(job)["volumes"]
    assert "SSL_CERT_FILE" not in environment_of(agent)
    assert "authorities" not in {one["name"] for one in agent["volumeMounts"]}


def test_only_stage_sees_the_cache():
    job = built(given=settings(agents={"cache": {"claim": "datasets", "size": "2Ti"}}))
    assert {"name": "cache", "persistentVolumeClaim": {"claimName": "datasets"}} in pod_of(job)["volumes"]
    having = {
        name for name, one in containers_of(job).items() if "cache" in {mount["name"] for mount in one["volumeMounts"]}
    }
    assert having == {"stage"}
    order = order_of(containers_of(job)["stage"], StageOrder)
    assert (str(order.cache), order.cache_bytes) == ("/cache", 2 << 40)


def test_without_a_claim_there_is_no_cache():
    job = built()
    assert "cache" not in {volume["name"] for volume in pod_of(job)["volumes"]}
    assert order_of(containers_of(job)["stage"], StageOrder).cache is None


def test_a_cache_of_no_size_is_refused():
    with pytest.raises(ValidationError, match="write a size above 0, for instance 500Gi"):
        settings(agents={"cache": {"claim": "datasets", "size": "0"}})


def test_the_same_arguments_give_the_same_object():
    assert built() == built()


@pytest.mark.parametrize("queue", ["", "gpus"])
def test_a_job_is_stopped_once(queue):
    """One of a queue is not suspended: the queue would let it go again."""
    job = built(placement={"queue": queue} if queue else {})
    job["spec"].setdefault("suspend", False)
    assert not is_told_to_stop(job)
    change = stop_patch(job, "because")
    assert ("suspend" in change["spec"]) is not bool(queue)
    job["metadata"]["annotations"] |= change["metadata"]["annotations"]
    job["spec"] |= change["spec"]
    assert is_told_to_stop(job)
