"""Working on several things at once."""

import threading
from collections.abc import Iterator

import pytest

from orchestrator.storage.parallel import Meter, Stopped, in_parallel


def test_results_come_in_the_order_of_the_items() -> None:
    done = [threading.Event() for _ in range(4)]

    def work(number: int) -> int:
        if number + 1 < len(done):
            assert done[number + 1].wait(30), "the later ones end first"
        done[number].set()
        return number * 10

    assert in_parallel(work, range(4), workers=4, stop=threading.Event()) == [0, 10, 20, 30]


def test_items_are_taken_up_as_workers_get_free() -> None:
    taken, finished = [], []

    def items() -> Iterator[int]:
        for number in range(10):
            assert number - len(finished) <= 2
            taken.append(number)
            yield number

    in_parallel(finished.append, items(), workers=2, stop=threading.Event())
    assert taken == sorted(finished) == list(range(10))


def test_a_failure_stops_those_that_are_at_work() -> None:
    stop = threading.Event()
    stopped: list[bool] = []

    def work(number: int) -> None:
        if number == 1:
            raise ValueError("broken")
        stopped.append(stop.wait(30))

    with pytest.raises(ValueError, match="broken"):
        in_parallel(work, range(2), workers=2, stop=stop)
    assert stopped == [True]


def test_a_meter_reports_exactly_the_total() -> None:
    told: list[int] = []
    meter = Meter(told.append, 100, threading.Event())
    for step in (30, 0, 60, 60):
        meter.add(step)
    meter.finish()
    assert told == [30, 60, 10]


def test_a_meter_raises_once_all_is_to_stop() -> None:
    stop = threading.Event()
    meter = Meter(None, 100, stop)
    meter.add(1)
    stop.set()
    with pytest.raises(Stopped):
        meter.add(1)
