"""What becomes of a step that fails."""

import threading
from datetime import timedelta

import pytest

from orchestrator.api.key import Key
from orchestrator.cluster.kubernetes.errors import Conflict, Forbidden
from orchestrator.controller.act import NotLeading
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.work import Work
from orchestrator.storage.store import StoreError

KEY = Key("team", "trial")


class Steps:
    """A step that goes as its script says, and then well."""

    def __init__(self, *script):
        self.script = list(script)
        self.taken = threading.Semaphore(0)
        self.keys = []

    def __call__(self, key):
        self.keys.append(key)
        self.taken.release()
        result = self.script.pop(0) if self.script else None
        if isinstance(result, Exception):
            raise result
        return result

    def wait_for(self, count):
        for _ in range(count):
            assert self.taken.acquire(timeout=20)


@pytest.fixture
def work():
    begun = []

    def begin(steps):
        work = Work(steps, Metrics(), workers=2)
        begun.append(work)
        work.start([KEY])
        return work

    yield begin
    for one in begun:
        assert one.stop(20)


def errors(work, cause):
    return work.metrics.registry.get_sample_value("mlectl_reconcile_errors_total", {"cause": cause})


@pytest.mark.parametrize(
    "error, cause",
    [
        (StoreError("away"), "store"),
        (Forbidden(403, "Forbidden", "no right"), "api"),
        (ZeroDivisionError(), "defect"),
    ],
)
def test_a_step_that_fails_is_counted_and_taken_again(work, error, cause):
    steps = Steps(error)
    begun = work(steps)
    steps.wait_for(2)
    assert errors(begun, cause) == 1
    assert begun.is_whole


def test_a_conflict_is_no_error(work):
    steps = Steps(Conflict(409, "Conflict", "changed"))
    begun = work(steps)
    steps.wait_for(2)
    assert [errors(begun, cause) for cause in ("api", "store", "defect")] == [0, 0, 0]


def test_a_step_that_asks_for_another_look_gets_it(work):
    steps = Steps(timedelta(seconds=0.05))
    work(steps)
    steps.wait_for(2)


def test_who_seems_to_lead_no_more_looks_once_more_and_has_not_failed(work):
    """A Lease that is renewed a moment late: no news would come of what was left undone."""
    steps = Steps(NotLeading())
    begun = work(steps)
    steps.wait_for(2)
    assert begun.queue.failures(KEY) == 0


def test_stopping_waits_for_the_step_at_hand_and_begins_no_other():
    gate, entered, finished = threading.Event(), threading.Event(), []

    def step(key):
        entered.set()
        gate.wait(20)
        finished.append(key)

    work = Work(step, Metrics(), workers=1)
    work.start([KEY])
    assert entered.wait(20)
    work.queue.add(Key("team", "another"))
    assert not work.stop(0.05)
    gate.set()
    assert work.stop(20)
    assert finished == [KEY]
