"""Where pods are: rig/policy_sandboxes.py."""

import json
import os
from pathlib import Path
from typing import Any

from tests.cluster.rig.policy_sandboxes import changes, present


def note(uid: str, address: str, cable: str) -> dict[str, Any]:
    """What libcni 1.1 writes, as far as it is read."""
    interfaces = [{"name": "rig-pods"}, {"name": cable}, {"name": "eth0", "sandbox": f"/netns/{uid}"}]
    args = [["IgnoreUnknown", "1"], ["K8S_POD_UID", uid]]
    return {"cniArgs": args, "result": {"interfaces": interfaces, "ips": [{"address": f"{address}/24"}]}}


def write(folder: Path, container: str, text: str, at: int = 1) -> Path:
    path = folder / f"rig-{container}-eth0"
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def test_a_sandbox_is_there_while_its_cable_is(tmp_path: Path) -> None:
    write(tmp_path, "a", json.dumps(note("one", "10.244.0.2", "veth1")))
    assert present(tmp_path, tmp_path) == []
    (tmp_path / "veth1").touch()
    (found,) = present(tmp_path, tmp_path)
    assert (found.pod_uid, str(found.address), found.interface) == ("one", "10.244.0.2", "veth1")
    assert found.namespace_path == "/netns/one"


def test_the_latest_note_about_an_address_is_the_true_one(tmp_path: Path) -> None:
    for name in ("veth1", "veth2"):
        (tmp_path / name).touch()
    write(tmp_path, "a", json.dumps(note("new", "10.244.0.2", "veth2")), at=2)
    write(tmp_path, "b", json.dumps(note("old", "10.244.0.2", "veth1")), at=1)
    assert [each.pod_uid for each in present(tmp_path, tmp_path)] == ["new"]


def test_half_a_note_and_notes_of_other_networks_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "veth1").touch()
    text = json.dumps(note("one", "10.244.0.2", "veth1"))
    write(tmp_path, "a", text[:40])
    (tmp_path / "cni-loopback-a-lo").write_text(text)
    assert present(tmp_path, tmp_path) == []


def test_every_change_of_the_notes_is_news(tmp_path: Path) -> None:
    folder = tmp_path / "made-when-missing"
    news = changes(folder)
    next(news)
    path = write(folder, "a", "{}")
    next(news)
    path.unlink()
    next(news)
    news.close()
