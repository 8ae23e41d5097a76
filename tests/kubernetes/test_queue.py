"""The work queue: against a model in virtual time, and with real threads."""

import threading
import time
from collections import Counter
from queue import SimpleQueue

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from orchestrator.cluster.kubernetes.queue import WorkQueue

ITEMS = st.sampled_from("abcd")


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class QueueAgainstModel(RuleBasedStateMachine):
    """The model is one number an item: the earliest time at which somebody wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.queue: WorkQueue[str] = WorkQueue(
            burst=10**6, first_delay=4, longest_delay=20, clock=self.clock, chance=lambda: 0
        )
        self.wanted: dict[str, float] = {}
        self.processing: set[str] = set()
        self.failures: Counter[str] = Counter()
        self.is_open = True

    def want(self, item: str, when: float) -> None:
        if self.is_open:
            self.wanted[item] = min(self.wanted.get(item, float("inf")), when)

    def due(self) -> dict[str, float]:
        return {item: when for item, when in self.wanted.items() if when <= self.clock.now}

    @rule(item=ITEMS)
    def add(self, item: str) -> None:
        self.queue.add(item)
        self.want(item, self.clock.now)

    @rule(item=ITEMS, seconds=st.integers(0, 30))
    def add_after(self, item: str, seconds: int) -> None:
        self.queue.add_after(item, seconds)
        self.want(item, self.clock.now + seconds)

    @rule(item=ITEMS)
    def retry(self, item: str) -> None:
        self.queue.retry(item)
        self.want(item, self.clock.now + min(20, 4 * 2 ** self.failures[item]))
        self.failures[item] += 1

    @rule(item=ITEMS)
    def forget(self, item: str) -> None:
        self.queue.forget(item)
        self.failures[item] = 0

    @rule()
    def get(self) -> None:
        candidates = self.due().keys() - self.processing
        got = self.queue.get(timeout=0)
        if not candidates:
            assert got is None
            return
        assert got in candidates
        del self.wanted[got]
        self.processing.add(got)

    @precondition(lambda self: self.processing)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.processing)))
        self.queue.done(item)
        self.processing.discard(item)

    @rule(seconds=st.integers(1, 10))
    def time_passes(self, seconds: int) -> None:
        self.clock.now += seconds

    @precondition(lambda self: self.is_open)
    @rule(drain=st.booleans(), late=st.integers(0, 9))
    def shut_down(self, drain: bool, late: int) -> None:
        if late:  # rarely, or there is little to see before it
            return
        assert self.queue.depth == len(self.due())
        self.queue.shut_down(drain=drain)
        self.wanted = self.due() if drain else {}
        self.is_open = False

    @invariant()
    def figures_are_right(self) -> None:
        due = self.due()
        assert self.queue.depth == len(due)
        assert self.queue.oldest_seconds == max((self.clock.now - when for when in due.values()), default=0)
        assert {item: self.queue.failures(item) for item in "abcd"} == {item: self.failures[item] for item in "abcd"}


TestQueueAgainstModel = QueueAgainstModel.TestCase


def test_items_come_in_the_order_in_which_they_became_ready() -> None:
    clock = Clock()
    queue: WorkQueue[str] = WorkQueue(clock=clock)
    queue.add_after("third", 5)
    queue.add("first")
    queue.add_after("second", 2)
    queue.add("first")
    clock.now += 10
    assert [queue.get(0), queue.get(0), queue.get(0), queue.get(0)] == ["first", "second", "third", None]


@given(chance=st.floats(0, 1, exclude_max=True), failures=st.integers(1, 100))
def test_a_failing_item_waits_longer_each_time_up_to_a_cap(chance: float, failures: int) -> None:
    clock = Clock()
    queue: WorkQueue[str] = WorkQueue(first_delay=1, longest_delay=60, clock=clock, chance=lambda: chance)
    for n in range(failures):
        full = min(60, 2**n)
        queue.retry("a")
        clock.now += full * 0.49
        assert queue.get(0) is None
        clock.now += full * 0.52
        assert queue.get(0) == "a"
        queue.done("a")
    assert queue.retries == failures


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.floats(0, 3)), max_size=40))
def test_no_more_is_handed_out_than_the_rate_allows(steps: list[tuple[int, float]]) -> None:
    clock = Clock()
    rate, burst = 2.0, 3
    queue: WorkQueue[int] = WorkQueue(rate=rate, burst=burst, clock=clock)
    for item in range(1000):
        queue.add(item)
    handed_out: list[float] = []
    for tries, pause in steps:
        handed_out += [clock.now for _ in range(tries) if queue.get(0) is not None]
        clock.now += pause
    for first, start in enumerate(handed_out):
        for last in range(first, len(handed_out)):
            assert last - first + 1 <= burst + rate * (handed_out[last] - start) + 1e-6


def test_a_rate_that_was_used_up_comes_back() -> None:
    clock = Clock()
    queue: WorkQueue[int] = WorkQueue(rate=2, burst=3, clock=clock)
    for item in range(10):
        queue.add(item)
    assert [queue.get(0) for _ in range(4)] == [0, 1, 2, None]
    clock.now += 1
    assert [queue.get(0) for _ in range(3)] == [3, 4, None]


def test_a_queue_that_is_shut_down_takes_nothing_more_and_ignores_the_rate() -> None:
    queue: WorkQueue[int] = WorkQueue(rate=0.001, burst=1)
    for item in range(3):
        queue.add(item)
    queue.add_after(9, 0.001)
    queue.shut_down()
    queue.add(4)
    assert [queue.get() for _ in range(4)] == [0, 1, 2, None]


def test_whoever_waits_is_woken_by_an_item_a_delay_and_the_end() -> None:
    queue: WorkQueue[str] = WorkQueue()
    got: SimpleQueue[str | None] = SimpleQueue()
    threading.Thread(target=lambda: [got.put(queue.get()) for _ in range(3)], daemon=True).start()
    queue.add("now")
    assert got.get(timeout=5) == "now"
    queue.add_after("soon", 0.05)
    assert got.get(timeout=5) == "soon"
    queue.shut_down()
    assert got.get(timeout=5) is None


def test_waiting_for_the_end_covers_what_is_being_processed() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    assert queue.get() == "a"
    queue.add("a")
    queue.shut_down()
    assert not queue.wait_empty(0.01)
    queue.done("a")
    assert queue.get() == "a"
    assert not queue.wait_empty(0.01)
    queue.done("a")
    assert queue.wait_empty(0)
    assert queue.get() is None


@pytest.mark.parametrize("workers", [1, 8])
def test_threads_never_process_an_item_twice_at_a_time_and_miss_no_add(workers: int) -> None:
    """Each add raises a number; whoever processes the item must, in the end, have seen the last one."""
    queue: WorkQueue[int] = WorkQueue(rate=1e6, burst=10**6, first_delay=0.0001, longest_delay=0.001)
    items = range(5)
    asked = dict.fromkeys(items, 0)
    seen = dict.fromkeys(items, 0)
    busy = {item: threading.Lock() for item in items}
    clashes: list[int] = []

    def work() -> None:
        while (item := queue.get()) is not None:
            if not busy[item].acquire(blocking=False):
                clashes.append(item)
            seen[item] = asked[item]
            time.sleep(0)
            busy[item].release()
            if seen[item] % 7 == 0:
                queue.retry(item)
            queue.done(item)

    def ask(item: int) -> None:
        for _ in range(400):
            asked[item] += 1
            queue.add(item)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    askers = [threading.Thread(target=ask, args=(item,), daemon=True) for item in items]
    for thread in threads + askers:
        thread.start()
    for thread in askers:
        thread.join()
    queue.shut_down()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert clashes == []
    assert seen == asked
