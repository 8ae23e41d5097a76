"""Leader election on a real API server, among processes that are stopped, killed, halted and cut off."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.kinds import LEASES
from orchestrator.cluster.kubernetes.lease import Leadership, Terms
from tests.cluster.candidate import LEASE, TERMS
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.road import Road

SLACK = 2.0
"""For a busy machine."""


class Candidate:
    """A process, the road it has to the API server, and what it says."""

    def __init__(self, identity: str, control_plane: ControlPlane, namespace: str, folder: Path) -> None:
        self.identity = identity
        self.road = Road(control_plane.kubeconfig, folder, identity)
        argv = [sys.executable, "-m", "tests.cluster.candidate", str(self.road.kubeconfig), namespace, identity]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.said: list[tuple[float, str]] = []
        self._news = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            at, what = line.split()
            with self._news:
                self.said.append((float(at), what))
                self._news.notify_all()

    def says(self, what: str, *, after: float = 0.0, seconds: float = 20.0) -> float:
        """When it (first) says that, after some moment."""
        with self._news:
            found = self._news.wait_for(lambda: self.times(what, after), seconds)
        assert found, f"{self.identity} does not say {what!r}"
        return self.times(what, after)[0]

    def times(self, what: str, after: float = 0.0) -> list[float]:
        return [at for at, said in self.said if said == what and at > after]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._listener.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.road.close()


@pytest.fixture
def candidate(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[Callable[[str], Candidate]]:
    with ExitStack() as stack:

        def start(identity: str) -> Candidate:
            one = Candidate(identity, control_plane, namespace, tmp_path)
            stack.callback(one.end)
            return one

        yield start


@pytest.fixture
def pair(candidate: Callable[[str], Candidate]) -> tuple[Candidate, Candidate]:
    """The leader, and one that waits."""
    leader = candidate("first")
    leader.says("started")
    other = candidate("second")
    other.says("runs")
    return leader, other


def now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def assert_one_at_a_time(*candidates: Candidate) -> None:
    """Between any two moments at which the same one leads, no other does, unless it lost it in between."""
    moments = sorted((at, one.identity) for one in candidates for at in one.times("leads"))
    turns = [one for (_, before), (_, one) in pairwise(moments) if one != before]
    assert len(turns) <= sum(len(one.times("started")) for one in candidates) - 1, f"they lead by turns: {turns}"


def test_a_leader_that_stops_hands_over_at_once(pair: tuple[Candidate, Candidate]) -> None:
    leader, other = pair
    asked = now()
    leader.process.send_signal(signal.SIGTERM)
    taken = other.says("started")
    assert leader.says("stopped") < taken
    assert taken - asked < TERMS.retry_seconds * 1.1 + 1.0 < TERMS.lease_seconds
    assert leader.process.wait(5) == 0
    assert_one_at_a_time(leader, other)


def test_a_leader_that_is_killed_is_replaced_when_its_lease_ends(pair: tuple[Candidate, Candidate]) -> None:
    leader, other = pair
    leader.process.kill()
    leader.process.wait()
    last = leader.times("leads")[-1]
    taken = other.says("started")
    assert taken - last > TERMS.renew_seconds
    assert taken - last < TERMS.lease_seconds + TERMS.retry_seconds + SLACK
    assert_one_at_a_time(leader, other)


@pytest.mark.parametrize("how", ["cut", "block"])
def test_a_leader_that_is_cut_off_stops_before_another_starts(pair: tuple[Candidate, Candidate], how: str) -> None:
    leader, other = pair
    cut = now()
    getattr(leader.road, how)()
    stopped = leader.says("stopped", after=cut)
    started = other.says("started", after=cut)
    assert stopped < started
    assert leader.times("leads")[-1] < stopped + 0.05
    assert stopped - cut < TERMS.renew_seconds + 0.5
    assert started - cut < TERMS.lease_seconds + TERMS.retry_seconds + SLACK
    {"cut": leader.road.mend, "block": leader.road.unblock}[how]()
    other.process.send_signal(signal.SIGTERM)
    leader.says("started", after=started)
    assert_one_at_a_time(leader, other)


def test_nobody_leads_while_the_api_server_is_away_and_one_does_afterwards(pair: tuple[Candidate, Candidate]) -> None:
    """On a busy machine the lease may have changed hands just before; whoever leads must stop in time."""
    leader, other = pair
    for one in pair:
        one.road.cut()
    stopped = now() + TERMS.renew_seconds + 0.5
    time.sleep(TERMS.lease_seconds + 1)  # a lease would have run out by now
    assert [one.times("leads", stopped) for one in pair] == [[], []]
    for one in pair:
        one.road.mend()
    eventually(lambda: any(one.times("started", stopped) for one in pair))
    eventually(lambda: any(len(one.times("leads", stopped)) > 50 for one in pair))
    assert_one_at_a_time(leader, other)


def test_a_short_outage_is_survived(pair: tuple[Candidate, Candidate]) -> None:
    leader, other = pair
    for _ in range(3):
        leader.road.cut()
        time.sleep(TERMS.renew_seconds / 3)
        leader.road.mend()
        leader.says("leads", after=now() + TERMS.renew_seconds)
    assert leader.times("stopped") == []
    assert other.times("started") == []


def test_a_leader_that_was_halted_knows_at_once_that_it_leads_no_more(pair: tuple[Candidate, Candidate]) -> None:
    leader, other = pair
    leader.process.send_signal(signal.SIGSTOP)
    taken = other.says("started")
    leader.process.send_signal(signal.SIGCONT)
    leader.says("stopped", after=taken)
    assert leader.times("leads", taken) == []
    assert_one_at_a_time(leader, other)


def test_three_in_a_storm_of_cuts_are_one_at_a_time(candidate: Callable[[str], Candidate]) -> None:
    three = [candidate(name) for name in ("first", "second", "third")]
    for one in three:
        one.says("runs")
    for round in range(4):
        eventually(lambda: any(one.times("leads", now() - 0.2) for one in three))
        leader = next(one for one in three if one.times("leads", now() - 0.5))
        leader.road.block() if round % 2 else leader.road.cut()
        leader.says("stopped", after=now() - 0.5)
        leader.road.unblock() if round % 2 else leader.road.mend()
    assert_one_at_a_time(*three)


def test_a_lease_that_somebody_takes_by_hand_is_given_up(control_plane: ControlPlane, namespace: str) -> None:
    api = Api.connect(control_plane.kubeconfig)
    turns: list[str] = []
    leadership = Leadership(
        api,
        namespace,
        LEASE,
        terms=TERMS,
        on_started=lambda: turns.append("started"),
        on_stopped=lambda: turns.append("stopped"),
    )
    leadership.start()
    eventually(lambda: turns == ["started"])
    assert leadership.holder == leadership.identity
    api.patch(LEASES, namespace, LEASE, {"spec": {"holderIdentity": "a person"}})
    eventually(lambda: turns == ["started", "stopped"], TERMS.renew_seconds)
    assert not leadership.is_leader
    leadership.stop()
    there = api.get(LEASES, namespace, LEASE)
    assert there is not None
    assert there["spec"]["holderIdentity"] == "a person"


def test_the_lease_is_kept_until_the_work_has_ended(control_plane: ControlPlane, namespace: str) -> None:
    """Draining takes longer than a lease lasts: it is renewed meanwhile, and given back after it."""
    api = Api.connect(control_plane.kubeconfig)
    started, seen = threading.Event(), []
    terms = Terms(lease_seconds=1, renew_seconds=0.7, retry_seconds=0.1)

    def drain() -> None:
        for _ in range(20):
            time.sleep(0.1)
            there = api.get(LEASES, namespace, LEASE)
            assert there is not None
            seen.append((there["spec"]["holderIdentity"], leadership.is_leader))

    leadership = Leadership(api, namespace, LEASE, identity="me", terms=terms, on_started=started.set, on_stopped=drain)
    leadership.start()
    assert started.wait(10)
    leadership.stop()
    assert seen == [("me", True)] * 20
    assert not leadership.is_leader
    there = api.get(LEASES, namespace, LEASE)
    assert there is not None
    assert there["spec"].get("holderIdentity", "") == ""


@pytest.mark.parametrize("terms", [(10, 10.0, 2.0), (15, 2.0, 2.0), (15, 10.0, 0.0)])
def test_terms_that_could_make_two_leaders_are_refused(terms: tuple[int, float, float]) -> None:
    with pytest.raises(ValueError, match="retry_seconds < renew_seconds < lease_seconds"):
        Terms(*terms)


def eventually(check: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.01)
