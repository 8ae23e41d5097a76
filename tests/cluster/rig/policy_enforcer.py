"""The process that enforces NetworkPolicy on the true node.

No enforcer can be had from the module proxy, so this is the rig's own reading of networking.k8s.io/v1:
`policy_rules.py` says what policies mean, `policy_nft.py` how the kernel is told, `policy_sandboxes.py` and
`policy_api.py` where news comes from. News only wakes the loop below, which then reads everything afresh, sandboxes
first: the rules of a new pod rest on policies that were read after its sandbox appeared, so no policy that is older
than the pod can be late for it.

Nobody starts this process again, so nothing may end it. While the API server is away the rules stay as they are, and
new pods stay closed. Run as `python -m tests.cluster.rig.policy_enforcer`.
"""

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPException

from tests.cluster.rig import policies, policy_api, policy_nft, policy_sandboxes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.policy_rules import Object, Pod, World
from tests.cluster.rig.policy_sandboxes import Sandbox

Source = Callable[[], Iterator[None]]
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 3.0


def main() -> None:
    news = threading.Event()
    sources: list[Source] = [partial(policy_api.changes, kind) for kind in policy_api.PATHS]
    for source in (policy_sandboxes.changes, *sources):
        threading.Thread(target=persist, args=(partial(listen, source, news),), daemon=True).start()
    persist(partial(enforce_next, news, Enforcer()))


def listen(source: Source, news: threading.Event) -> None:
    for _ in source():
        news.set()
    time.sleep(FIRST_PAUSE_SECONDS)  # an API server that goes down may end every watch at once


def enforce_next(news: threading.Event, enforcer: "Enforcer") -> None:
    news.wait()
    news.clear()
    try:
        enforcer.enforce()
    except BaseException:
        news.set()  # it still has to be done
        raise


def persist(act: Callable[[], None]) -> None:
    """Do it for ever, with growing pauses while it fails at once."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        started = time.monotonic()
        try:
            act()
        except Exception as error:  # noqa: BLE001 - whatever it is, an enforcer that has ended is worse
            if time.monotonic() - started > LONGEST_PAUSE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            say(f"trying again in {pause:.1f} s: {describe(error)}")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        else:
            pause = FIRST_PAUSE_SECONDS


def describe(error: Exception) -> str:
    """An API server that is away takes a line; a mistake of ours is told in full."""
    if isinstance(error, OSError | HTTPException | RigError):
        return f"{type(error).__name__}: {error}"
    return "".join(traceback.format_exception(error))


def say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S.%f} {text}", flush=True)


class Enforcer:
    """Brings the kernel's rules up to date; remembers them only in order not to repeat itself."""

    def __init__(self) -> None:
        self.applied = ""

    def enforce(self) -> None:
        started = time.monotonic()
        world, unenforced = observe()
        rules = policy_nft.render(world, unenforced)
        if rules != self.applied:
            policies.load(rules)
            self.applied = rules
            taken = 1000 * (time.monotonic() - started)
            say(f"in force after {taken:.0f} ms: {len(world.pods)} pods, {len(world.policies)} policies")
        policies.write_status(world, unenforced)


def observe() -> tuple[World, list[str]]:
    """Sandboxes, then pods, then namespaces, then policies: a later reading knows all that earlier ones speak of."""
    sandboxes = policy_sandboxes.present()
    pods, namespaces, found = policy_api.read("pods", "namespaces", "networkpolicies")
    return world_of(sandboxes, pods, namespaces, found), [name_of(each) for each in namespaces if is_off(each)]


def world_of(
    sandboxes: Sequence[Sandbox], pods: Sequence[Object], namespaces: Sequence[Object], rules: Sequence[Object]
) -> World:
    """A sandbox counts when the API knows its pod and that pod's namespace; until then it is nobody's, and closed."""
    known = {pod["metadata"]["uid"]: pod for pod in pods}
    labels = {name_of(each): each["metadata"].get("labels") or {} for each in namespaces}
    found = [(known[sandbox.pod_uid], sandbox) for sandbox in sandboxes if sandbox.pod_uid in known]
    present = [pod_on_bridge(pod, sandbox) for pod, sandbox in found if pod["metadata"]["namespace"] in labels]
    return World(present, labels, rules)


def pod_on_bridge(pod: Object, sandbox: Sandbox) -> Pod:
    metadata = pod["metadata"]
    return Pod(
        uid=metadata["uid"],
        namespace=metadata["namespace"],
        name=metadata["name"],
        address=sandbox.address,
        interface=sandbox.interface,
        labels=metadata.get("labels") or {},
        ports=tuple(named_ports(pod["spec"])),
    )


def named_ports(spec: Object) -> Iterator[tuple[str, str, int]]:
    """Of the containers that live as long as the pod."""
    sidecars = [each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"]
    for container in (*spec["containers"], *sidecars):
        for port in container.get("ports") or ():
            if port.get("name"):
                yield port["name"], port.get("protocol", "TCP").lower(), port["containerPort"]


def is_off(namespace: Object) -> bool:
    return (namespace["metadata"].get("annotations") or {}).get(policies.SWITCH) == "off"


def name_of(found: Object) -> str:
    return str(found["metadata"]["name"])


if __name__ == "__main__":
    main()
