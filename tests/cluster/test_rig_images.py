"""Images made from the checkout, on the true node: any user, a read-only root, the code as it is now."""

import json

import pytest

from tests.cluster.images import code, made
from tests.cluster.images.made import Images
from tests.cluster.rig import containers, pods
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.oci import Image
from tests.cluster.rig.pods import restricted_pod

STRANGER = {**pods.CONTAINER_SECURITY, "runAsUser": 4711, "runAsGroup": 4711}


@pytest.mark.parametrize("security", [pods.CONTAINER_SECURITY, STRANGER], ids=["uid 1000", "any uid"])
def test_mlectl_runs_in_its_image(
    control_plane: ControlPlane, images: Images, restricted_namespace: str, security: dict[str, object]
) -> None:
    command = ("mlectl", "competitions", "--split", "demo", "-o", "json")
    pod = restricted_pod(restricted_namespace, "mlectl", images.orchestrator, *command, securityContext=security)

    ended = pods.run(control_plane, pod)

    assert ended.exit_code == 0, ended.log
    assert {"demo-wine", "demo-diabetes"} <= {row["id"] for row in json.loads(ended.log)}


@pytest.mark.parametrize("name", ["orchestrator", "baseline", "dummy"])
def test_no_image_can_write_to_its_root_or_is_root(
    control_plane: ControlPlane, images: Images, restricted_namespace: str, name: str
) -> None:
    script = "id -u; touch /home/x 2>&1; exec python3 -c 'import sklearn, pandas, PIL; print(sklearn.__version__)'"
    pod = restricted_pod(restricted_namespace, "look", getattr(images, name), "bash", "-c", script)

    ended = pods.run(control_plane, pod)

    uid, refusal, sklearn = ended.log.splitlines()
    assert (ended.exit_code, uid, sklearn) == (0, "1000", "1.5.2")
    assert "Read-only file system" in refusal


@pytest.mark.parametrize("name", ["baseline", "dummy"])
def test_an_agents_image_has_the_agent_and_not_the_orchestrator(
    control_plane: ControlPlane, images: Images, restricted_namespace: str, name: str
) -> None:
    script = "ls /home/agent; python3 -c 'import orchestrator'; command -v mlectl || echo no mlectl"
    pod = restricted_pod(restricted_namespace, "agent", getattr(images, name), "bash", "-c", script)

    ended = pods.run(control_plane, pod)

    assert "start.sh" in ended.log
    assert "No module named 'orchestrator'" in ended.log
    assert "no mlectl" in ended.log


def test_the_dummy_agent_hands_in_the_sample(
    control_plane: ControlPlane, images: Images, restricted_namespace: str
) -> None:
    script = (
        "echo id,y > $DATA_DIR/sample_submission.csv; bash /home/agent/start.sh; cat $SUBMISSION_DIR/submission.csv"
    )
    pod = restricted_pod(
        restricted_namespace,
        "dummy",
        images.dummy,
        *("bash", "-c", script),
        env=[{"name": "DATA_DIR", "value": "/home/data"}],
        volumeMounts=[{"name": name, "mountPath": f"/home/{name}"} for name in ("data", "submission")],
    )
    pod["spec"]["volumes"] = [{"name": name, "emptyDir": {}} for name in ("data", "submission")]

    ended = pods.run(control_plane, pod)

    assert ended.log.splitlines()[-1] == "id,y"


def test_images_are_loaded_again_only_when_they_changed(images: Images) -> None:
    same = made.make_all()
    containers.load(same)  # somebody may have changed the checkout since the fixture did
    assert containers.load(same) == []

    changed = Image("docker.io/mlectl/changed:test", [*same[0].layers[:2], code.agent("dummy")], {})
    assert containers.load([*same, changed]) == ["docker.io/mlectl/changed:test"]
    containers.ctr("images", "remove", changed.name)


def test_the_same_code_makes_the_same_layer() -> None:
    assert code.package().digest == code.package().digest
