"""An instance from its first process to its last: everything in order, harmless when repeated."""

import shutil
from collections.abc import Callable
from functools import partial

from tests.cluster.rig import control_plane, fake_nodes, leftovers, node, processes, services
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import MAIN, Instance

Step = Callable[[str, Callable[[], None]], None]


def quietly(name: str, act: Callable[[], None]) -> None:
    act()


def up(rig: Instance, nodes: int = 0, *, node_wanted: bool = False, gpus: int = 0, timed: Step = quietly) -> None:
    """Have a control plane, and what else is asked for; what runs already is left alone."""
    if node_wanted and rig != MAIN:
        raise RigError("The true node is one a machine and belongs to instance 0; leave --instance out.")
    timed("control plane", partial(control_plane.up, rig))
    if nodes:
        timed(f"{nodes} made-up nodes", partial(fake_nodes.up, rig, nodes))
    if node_wanted:
        timed("node", node.up)
        timed("services, names and policies", services.up)
        node.claim_gpus(gpus)


def down(rig: Instance, *, purge: bool = False) -> None:
    """Leave nothing of it running; with purge, forget its data, certificates and logs as well."""
    fake_nodes.down(rig)
    if rig == MAIN:
        services.down()
        node.down()
    control_plane.down(rig)
    leftovers.expect_none(rig)
    if purge:
        shutil.rmtree(rig.state, ignore_errors=True)


def restart(rig: Instance, name: str) -> None:
    """Stop one process and have it again."""
    starters: dict[str, Callable[[], None]] = {
        component: partial(control_plane.start, rig, component) for component in control_plane.COMPONENTS
    }
    if rig == MAIN:
        starters |= {"kubelet": node.start_kubelet, "kube-proxy": services.start_proxy}
        starters |= {"network-policies": services.start_policies}
    if name not in starters:
        raise RigError(f"There is no process {name!r} to start anew; choose from {', '.join(starters)}.")
    processes.stop(rig, name)
    starters[name]()
