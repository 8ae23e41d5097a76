"""Whatever dies: every run is graded once, no fault of a machine is a zero, and nothing is left over.

75 competitions, 3 seeds, a control plane of its own that is broken at random moments. A few seeds here;
`make chaos SEEDS=20 FIRST=100` runs as many as a night allows. What is checked is itself checked in
test_chaos_check.py.
"""

import os
from contextlib import ExitStack

import pytest
import yaml

from orchestrator.controller.stores import OpenStores
from orchestrator.worker.orders import Stores
from tests.cluster.chaos import NODE_COUNT, PATIENCE, Chaos
from tests.cluster.chaos_check import problems
from tests.cluster.chaos_store import FaultyProxy
from tests.cluster.lab import Lab
from tests.s3server import OWNER, S3Server

FIRST = int(os.environ.get("MLECTL_CHAOS_FIRST", "1"))
COUNT = int(os.environ.get("MLECTL_CHAOS_SEEDS", "2"))
STORES = ("public", "private", "runs")
PATIENCE_SECONDS = 900.0
CUT_OFF = "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
"""Python's ssl forgets to close a connection that breaks between its connect and its handshake, as some do here."""

pytestmark = pytest.mark.filterwarnings(CUT_OFF)


@pytest.fixture
def chaos_of(spare_control_plane, tmp_path, monkeypatch):
    """`chaos_of(seed)`: a lab with several nodes whose store is reached through a proxy that fails."""
    for name, value in OWNER.environment.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as stack:

        def make(seed, *, kills):
            server = stack.enter_context(S3Server.start())
            proxy = stack.enter_context(FaultyProxy(server.port))
            for name in STORES:
                server.make_bucket(name)
            faulty = {name: server.url(name, endpoint=proxy.endpoint) for name in STORES}
            lab = Lab.open(
                spare_control_plane,
                tmp_path,
                lambda **options: stack.enter_context(spare_control_plane.namespace(**options)),
                stack,
                urls={name: server.url(name) for name in STORES},
                controllers_urls=faulty,
                node_count=NODE_COUNT,
            )
            settings = yaml.safe_load(lab.config.read_text())
            lab.config.write_text(yaml.safe_dump(settings | {"patience": f"PT{PATIENCE.seconds}S"}))
            chaos = Chaos(seed, lab, spare_control_plane, proxy, kills=kills)
            chaos.begin(OpenStores.of(Stores(**faulty)))
            return chaos

        yield make


def endure(chaos):
    """Through all faults to the end."""
    try:
        chaos.cause_faults()
        chaos.lab.wait(chaos.is_done, "it has succeeded and its Jobs are gone", PATIENCE_SECONDS)
        found = problems(chaos.aftermath())
    except BaseException:
        print(chaos.tell_all())
        raise
    assert not found, "\n".join([*found, chaos.tell_all()])


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_nothing_is_lost_whatever_dies(chaos_of, seed):
    endure(chaos_of(seed, kills=True))


@pytest.mark.timeout(1500)
def test_what_one_controller_counts_agrees_with_the_store(chaos_of):
    """No controller dies, everything else does: so no count is lost with it."""
    endure(chaos_of(FIRST, kills=False))
