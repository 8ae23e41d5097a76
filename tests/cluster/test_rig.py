"""The rig keeps its promises: repeatable, whole after a crash, gone without a trace."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.rig import containers, debian, leftovers, life, processes, sharing
from tests.cluster.rig import node as node_part
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.kubectl import Object
from tests.cluster.rig.layout import CHECKOUT, PORTS, Instance


def test_bringing_it_up_twice_starts_nothing_twice(spare_control_plane: ControlPlane) -> None:
    rig = spare_control_plane.rig
    before = {name: processes.pid_of(rig, name) for name in processes.running(rig)}

    life.up(rig)

    assert {name: processes.pid_of(rig, name) for name in processes.running(rig)} == before
    assert set(before) >= {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}


def test_going_down_leaves_nothing() -> None:
    with sharing.spare() as rig:
        life.up(rig, nodes=1)
        assert len(leftovers.find_processes(rig.state)) == 5
        assert listens(rig, "kube-apiserver")

    assert leftovers.find(rig) == []
    assert not rig.state.exists()
    assert [name for name in PORTS if listens(rig, name)] == []


def test_two_spare_control_planes_know_nothing_of_each_other(spare_control_plane: ControlPlane) -> None:
    with sharing.spare() as rig, spare_control_plane.namespace(prefix="only-here") as name:
        life.up(rig)
        with pytest.raises(RigError, match=f'"{name}" not found'):
            ControlPlane(rig).get("namespace", name)


def test_after_a_crash_of_etcd_and_the_api_server_all_goes_on(spare_control_plane: ControlPlane) -> None:
    spare_control_plane.have_fake_nodes(1)
    with spare_control_plane.namespace() as name:
        for component in ("etcd", "kube-apiserver"):
            spare_control_plane.kill(component)
            assert not spare_control_plane.is_running(component)
        with pytest.raises(RigError, match="refused"):
            spare_control_plane.get("namespace", name)
        for component in ("etcd", "kube-apiserver"):
            spare_control_plane.start(component)

        spare_control_plane.apply(job(name, "afterwards"))
        wait_for_job(spare_control_plane, name, "afterwards", "Complete")


def test_a_job_plays_out_its_life_on_a_made_up_node(spare_control_plane: ControlPlane) -> None:
    spare_control_plane.have_fake_nodes(1)
    with spare_control_plane.namespace() as name:
        spare_control_plane.apply(job(name, "good"), job(name, "bad", exit_code=3))

        wait_for_job(spare_control_plane, name, "good", "Complete")
        wait_for_job(spare_control_plane, name, "bad", "Failed")
        pods = spare_control_plane.get("pods", f"--namespace={name}")["items"]

    assert {pod["spec"]["nodeName"].partition("-")[0] for pod in pods} == {"fake"}


def test_what_tests_brought_up_goes_with_the_last_of_them() -> None:
    with sharing.spare() as rig:
        with sharing.share(rig) as first:
            first.have_control_plane()
            with sharing.share(rig) as second:
                second.have_control_plane()
            assert "kube-apiserver" in processes.running(rig)
        assert processes.running(rig) == []


def test_what_a_person_brought_up_stays() -> None:
    with sharing.spare() as rig:
        life.up(rig)
        with sharing.share(rig) as session:
            session.have_control_plane()
            session.have_fake_nodes(1)
            assert "kwok" in processes.running(rig)

        assert "kube-apiserver" in processes.running(rig)
        assert "kwok" not in processes.running(rig)


def test_what_a_killed_session_left_running_is_gone_when_the_next_begins() -> None:
    with sharing.spare() as rig:
        leave_as_if_killed(rig)
        with sharing.share(rig):
            assert processes.running(rig) == []
            assert not rig.state.exists()


def test_what_a_machine_that_went_off_left_is_not_brought_to_life_again() -> None:
    with sharing.spare() as rig:
        leave_as_if_killed(rig)
        for name in processes.running(rig):
            processes.kill(rig, name)
        with sharing.share(rig) as session:
            session.have_control_plane()
            with pytest.raises(RigError, match='"of-the-killed" not found'):
                ControlPlane(rig).get("namespace", "of-the-killed")


def leave_as_if_killed(rig: Instance) -> None:
    """A session's end without its last words: the lock goes with the process, the rig does not."""
    with sharing.changing(rig):
        lock = sharing.open_lock(rig, "use")
    session = sharing.Share(rig, lock)
    session.have_control_plane()
    ControlPlane(rig).kubectl("create", "namespace", "of-the-killed")
    lock.close()


def test_a_shim_that_containerd_forgot_is_ended(tmp_path: Path) -> None:
    shim, other = tmp_path / "containerd-shim-runc-v2", tmp_path / "other"
    for program in (shim, other):
        program.symlink_to("/bin/sleep")
    with subprocess.Popen([shim, "600"]) as forgotten, subprocess.Popen([other, "600"]) as bystander:
        try:
            containers.end_shims(tmp_path)

            assert forgotten.wait(timeout=10) == -signal.SIGKILL
            assert bystander.poll() is None
        finally:
            forgotten.kill()
            bystander.kill()


def test_kubectl_fails_with_the_servers_words(kubectl: Callable[..., str]) -> None:
    with pytest.raises(RigError, match='namespaces "no-such-place" not found'):
        kubectl("get", "namespace", "no-such-place")


def test_the_true_node_refuses_in_a_restricted_namespace_what_it_runs_elsewhere(
    control_plane: ControlPlane, node: str, namespace: str, restricted_namespace: str
) -> None:
    rooted = {"image": "rig/base:1", "name": "main", "command": ["id"]}
    spec = {"restartPolicy": "Never", "nodeSelector": {"kubernetes.io/hostname": node}, "containers": [rooted]}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": spec}

    control_plane.apply({**pod, "metadata": {"name": "rooted", "namespace": namespace}})
    with pytest.raises(RigError, match='violates PodSecurity "restricted'):
        control_plane.apply({**pod, "metadata": {"name": "rooted", "namespace": restricted_namespace}})

    control_plane.kubectl(
        "wait", f"--namespace={namespace}", "--for=jsonpath={.status.phase}=Succeeded", "pod/rooted", "--timeout=60s"
    )
    assert control_plane.kubectl("logs", "rooted", f"--namespace={namespace}").startswith("uid=0(root)")


def test_the_true_node_claims_its_gpu(control_plane: ControlPlane, node: str) -> None:
    assert control_plane.get("node", node)["status"]["allocatable"]["nvidia.com/gpu"] == "1"


def test_without_its_programs_it_says_what_to_run_and_changes_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "MLECTL_RIG_STATE": str(state)}

    done = subprocess.run(
        [sys.executable, "-m", "tests.cluster.rig", "--instance", "9", "up"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr.startswith("rig: etcd is not built yet; run: make cluster-build")
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    assert [path.name for path in state.iterdir()] == ["9.change.lock"]


def test_only_root_installs_and_others_are_told_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "PACKAGES", {"openssl": "openssl", "no-such-package": "no-such-command"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(RigError, match=r"apt-get install no-such-package$"):
        debian.install()
    with pytest.raises(RigError, match="A true node needs root"):
        node_part.check()


def wait_for_job(plane: ControlPlane, namespace: str, name: str, condition: str) -> None:
    plane.kubectl("wait", f"--namespace={namespace}", f"--for=condition={condition}", f"job/{name}", "--timeout=90s")


def job(namespace: str, name: str, exit_code: int = 0) -> Object:
    directions = {"rig/run-for": "100ms", "rig/exit-code": str(exit_code)}
    limits = {"nvidia.com/gpu": "1"}
    container = {"name": "main", "image": "none.example/none:1", "resources": {"limits": limits}}
    template = {
        "metadata": {"annotations": directions},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"backoffLimit": 0, "template": template},
    }


def listens(rig: Instance, name: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", rig.port(name))) == 0
