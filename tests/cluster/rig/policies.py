"""Network policies on the true node, as the rig and its tests hold them: beginning, end, what is in force, a switch.

`policy_enforcer.py` is the process that keeps the rules, `town.py` beside the tests a set of pods to try them on.
"""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.rig import policy_nft, processes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.kubectl import kubectl
from tests.cluster.rig.layout import MAIN
from tests.cluster.rig.policy_rules import Object, World

ENFORCER = "network-policies"  # the process's name
SWITCH = "rig.mlectl.dev/network-policies"  # a namespace's annotation: with the value off its pods are all open
STATUS = MAIN.state / "policies.json"
PATIENCE_SECONDS = 60.0


def load(rules: str) -> None:
    done = subprocess.run(["nft", "-f", "-"], input=rules, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"nft refuses the rules, which stay as they were: {done.stderr.strip()}\n{rules}")


def close() -> None:
    """Have all pods closed until the enforcer opens them; rules that are there already are left alone."""
    if not is_loaded():
        load(policy_nft.render(World((), {}, ())))


def remove() -> None:
    """Without rules there must be no pods either: call it when the node is down."""
    subprocess.run(["nft", "-f", "-"], input=policy_nft.removal(), capture_output=True, text=True, check=False)
    STATUS.unlink(missing_ok=True)


def is_enforcing() -> bool:
    """Has the running enforcer spoken? What one before it wrote does not count."""
    return status().get("pid") == processes.pid_of(MAIN, ENFORCER)


def is_loaded() -> bool:
    argv = ["nft", "list", "table", "ip", policy_nft.TABLE]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def write_status(world: World, unenforced: list[str]) -> None:
    """For people and tests: what is in force now."""
    pods = {pod.uid: {"pod": f"{pod.namespace}/{pod.name}", "address": str(pod.address)} for pod in world.pods}
    policies = {policy["metadata"]["uid"]: policy["metadata"]["resourceVersion"] for policy in world.policies}
    text = json.dumps({"pid": os.getpid(), "pods": pods, "policies": policies, "off": unenforced}, indent=1)
    draft = STATUS.with_suffix(".new")
    draft.write_text(text)
    draft.replace(STATUS)


def status(path: Path = STATUS) -> Object:
    """What is in force: pods by uid, policies by uid with their resourceVersion, and the namespaces switched off."""
    with contextlib.suppress(FileNotFoundError):
        found: Object = json.loads(path.read_text())
        return found
    return {"pods": {}, "policies": {}, "off": []}


def wait_until(in_force: Callable[[Object], bool], what: str, within_seconds: float = PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + within_seconds
    while not in_force(status()):
        if time.monotonic() > deadline:
            log = processes.logs(MAIN) / f"{ENFORCER}.log"
            raise RigError(f"{what} was not in force within {within_seconds:.0f} s; {log} may say why")
        time.sleep(0.02)


def wait_for(policy: Object) -> None:
    """Returns when the policy is in force as it stands here."""
    uid, version = policy["metadata"]["uid"], policy["metadata"]["resourceVersion"]
    wait_until(lambda now: now["policies"].get(uid) == version, f"policy {policy['metadata']['name']}")


def wait_for_end(policy: Object) -> None:
    uid = policy["metadata"]["uid"]
    wait_until(lambda now: uid not in now["policies"], f"the end of policy {policy['metadata']['name']}")


def off(namespace: str) -> None:
    """Stop enforcing in one namespace, as a cluster whose network plug-in knows no policies. Returns when it is so."""
    kubectl(MAIN, "annotate", "--overwrite", "namespace", namespace, f"{SWITCH}=off")
    wait_until(lambda now: namespace in now["off"], f"the switch of namespace {namespace}")


def on(namespace: str) -> None:
    """Enforce there again. Returns when it is so."""
    kubectl(MAIN, "annotate", "--overwrite", "namespace", namespace, f"{SWITCH}-")
    wait_until(lambda now: namespace not in now["off"], f"the switch of namespace {namespace}")
