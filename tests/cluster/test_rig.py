"""The rig keeps its promises."""

from tests.cluster.rig.handle import ControlPlane


def test_the_main_control_plane_answers(control_plane: ControlPlane, namespace: str) -> None:
    assert control_plane.get("namespace", namespace)["metadata"]["name"] == namespace


def test_a_component_that_was_killed_comes_back_with_what_it_knew(spare_control_plane: ControlPlane) -> None:
    spare_control_plane.kubectl("create", "configmap", "note", "--from-literal=a=b")

    spare_control_plane.kill("etcd")
    spare_control_plane.kill("kube-apiserver")
    assert not spare_control_plane.is_running("kube-apiserver")
    spare_control_plane.start("etcd")
    spare_control_plane.start("kube-apiserver")

    assert spare_control_plane.get("configmap", "note")["data"] == {"a": "b"}
