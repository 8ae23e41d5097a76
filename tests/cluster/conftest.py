"""The rig as fixtures. A running rig is used as it is; what is missing is brought up and taken down at the end.

README.md beside this file says what each fixture promises.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cluster import crd
from tests.cluster.images import made
from tests.cluster.images.made import Images
from tests.cluster.installation import Installation, install
from tests.cluster.lab import Lab
from tests.cluster.rig import containers, sharing
from tests.cluster.rig import control_plane as components
from tests.cluster.rig import store as cluster_store
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.layout import MAIN, NODE, Instance
from tests.cluster.rig.sharing import Share
from tests.cluster.rig.store import ClusterStore

HERE = Path(__file__).parent
TIMEOUT_SECONDS = 900


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """These tests run when they are asked for by path: `make test` needs neither root nor a cluster."""
    asked = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path == HERE or HERE in path.parents for path in asked) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test's time is also that of the fixtures it is the first to need: images, a store, an installation."""
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TIMEOUT_SECONDS))


@pytest.fixture(scope="session")
def rig_share() -> Iterator[Share]:
    """This session's part in the main instance."""
    with sharing.share(MAIN) as share:
        yield share


@pytest.fixture(scope="session")
def control_plane(rig_share: Share) -> ControlPlane:
    """The main control plane, shared by all tests: give each test a namespace and break nothing."""
    rig_share.have_control_plane()
    return ControlPlane(MAIN)


@pytest.fixture(scope="session")
def fake_nodes(control_plane: ControlPlane, rig_share: Share) -> Callable[[int], None]:
    """`fake_nodes(20)` has at least that many made-up GPU nodes on the main control plane."""
    return rig_share.have_fake_nodes


@pytest.fixture(scope="session")
def node(control_plane: ControlPlane, rig_share: Share) -> str:
    """The name of the true node: containers, one claimed GPU, services, DNS and network policies."""
    rig_share.have_node(gpus=1)
    return NODE


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Callable[..., str]:
    """`kubectl("get", "pods", "--namespace", name)` on the main control plane; returns what it prints."""
    return control_plane.kubectl


@pytest.fixture
def namespaces(control_plane: ControlPlane) -> Iterator[Callable[..., str]]:
    """`namespaces(restricted=True, prefix="agents")` makes as many as a test needs."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(control_plane.namespace(**options))


@pytest.fixture
def namespace(namespaces: Callable[..., str]) -> str:
    """A fresh namespace without Pod Security labels."""
    return namespaces()


@pytest.fixture
def restricted_namespace(namespaces: Callable[..., str]) -> str:
    """A fresh namespace that enforces Pod Security's restricted profile."""
    return namespaces(restricted=True)


@pytest.fixture
def lab(control_plane: ControlPlane, tmp_path: Path, namespaces: Callable[..., str]) -> Iterator[Lab]:
    """A small world for controllers on the main control plane, with two played nodes."""
    with ExitStack() as stack:
        yield Lab.open(control_plane, tmp_path, namespaces, stack, node_count=2)


@pytest.fixture(scope="session")
def images(node: str) -> Images:
    """The images' names, once the true node has them as the checkout is now."""
    containers.load(made.make_all())
    return Images()


@pytest.fixture(scope="session")
def store(control_plane: ControlPlane, images: Images) -> Iterator[ClusterStore]:
    """An S3 store in the cluster with the buckets public, private and runs, shared by all tests of the session."""
    with cluster_store.run(control_plane) as running:
        yield running


@pytest.fixture(scope="session")
def installed(control_plane: ControlPlane, store: ClusterStore, images: Images) -> Iterator[Installation]:
    """mlectl as its chart installs it, on the true node, with a namespace for agents; shared by all tests."""
    crd.install(control_plane)
    with install(control_plane, store, images) as ready:
        yield ready


@pytest.fixture(scope="session")
def spare_instance() -> Iterator[Instance]:
    with sharing.spare() as rig:
        yield rig


@pytest.fixture
def spare_control_plane(spare_instance: Instance) -> ControlPlane:
    """A control plane of this session's own, whole at the start of each test: stop and kill what you like."""
    components.up(spare_instance)
    return ControlPlane(spare_instance)


@pytest.fixture
def spare_lab(spare_control_plane: ControlPlane, tmp_path: Path) -> Iterator[Lab]:
    """The same on a control plane of its own."""
    with ExitStack() as stack:
        yield Lab.open(
            spare_control_plane,
            tmp_path,
            lambda **options: stack.enter_context(spare_control_plane.namespace(**options)),
            stack,
        )
