"""The baseline's clock and pace."""

import signal
import time
from contextlib import suppress

import pytest

pytestmark = pytest.mark.usefixtures("baseline")


@pytest.fixture(autouse=True)
def _restore_signals():
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("limit, reserve", [(1.0, 0.5), (8.0, 0.5), (100.0, 5.0), (86_400.0, 60.0)])
def test_it_keeps_a_reserve_to_leave_in_order(limit: float, reserve: float):
    from baseline.clock import Clock

    assert Clock(limit, started=1_000.0)._deadline == 1_000.0 + limit - reserve


def test_work_is_stopped_in_the_middle_when_the_time_is_up():
    from baseline.clock import Clock, Stopped

    with pytest.raises(Stopped, match="the time limit is near"), Clock(0.02, time.monotonic()).watched():
        signal.pause()


def test_a_stop_that_got_lost_is_raised_again():
    from baseline.clock import Clock, Stopped

    def lose_the_first() -> None:
        with Clock(None, time.monotonic()).watched():
            with suppress(Stopped):
                signal.raise_signal(signal.SIGTERM)
            signal.pause()

    with pytest.raises(Stopped, match="told to by SIGTERM"):
        lose_the_first()


def test_no_step_is_expected_to_take_longer_than_the_quickest_pace_so_far():
    from baseline.clock import Pace

    pace = Pace()
    assert pace.seconds_for(50) == 0
    pace.note(100, 2.0)
    pace.note(100, 1.0)
    pace.note(0, 9.0)
    assert pace.seconds_for(50) == 0.5
