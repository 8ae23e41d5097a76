"""The clock over the courier's lives: what it counts, and what nothing can take from it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.worker import clock
from orchestrator.worker.clock import Clock


@dataclass
class Machine:
    """A machine's clocks, in the test's hands."""

    monotonic_now: float = 1000.0
    wall_now: float = 1_800_000_000.0
    boot: str | None = "first"

    def pass_seconds(self, seconds: float) -> None:
        self.monotonic_now += seconds
        self.wall_now += seconds

    def monotonic(self) -> float:
        return self.monotonic_now

    def time(self) -> float:
        return self.wall_now


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    one = Machine()
    monkeypatch.setattr(clock, "time", one)
    monkeypatch.setattr(clock, "boot_id", lambda: one.boot)
    return one


def test_nothing_is_counted_before_the_start(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60)
    machine.pass_seconds(10)
    assert (one.counted_seconds, one.has_started) == (0, False)


def test_earlier_attempts_are_part_of_what_is_consumed(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60, earlier_seconds=100)
    one.start()
    machine.pass_seconds(10)
    assert (one.counted_seconds, one.consumed_seconds, one.left_seconds) == (10, 110, 50)


def test_an_agent_is_never_charged_more_than_its_budget(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60)
    one.start()
    machine.pass_seconds(100)
    assert (one.counted_seconds, one.left_seconds) == (60, -40)


def test_time_while_the_courier_was_dead_counts(machine: Machine, tmp_path: Path) -> None:
    Clock(tmp_path / "clock", 60).start()
    machine.pass_seconds(25)
    assert Clock(tmp_path / "clock", 60).counted_seconds == 25


def test_a_second_start_changes_nothing(machine: Machine, tmp_path: Path) -> None:
    Clock(tmp_path / "clock", 60).start()
    machine.pass_seconds(25)
    one = Clock(tmp_path / "clock", 60)
    one.start()
    assert one.counted_seconds == 25


def test_setting_the_wall_clock_back_or_forth_changes_nothing(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60)
    one.start()
    machine.pass_seconds(5)
    machine.wall_now -= 3600
    assert one.counted_seconds == 5
    machine.wall_now += 7200
    assert Clock(tmp_path / "clock", 60).counted_seconds == 5


def test_a_stopped_clock_stays_stopped(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60)
    one.start()
    machine.pass_seconds(5)
    one.stop()
    machine.pass_seconds(5)
    one.save()
    assert (one.counted_seconds, Clock(tmp_path / "clock", 60).counted_seconds) == (5, 5)


def test_after_a_restart_of_the_machine_what_was_saved_last_stands(machine: Machine, tmp_path: Path) -> None:
    one = Clock(tmp_path / "clock", 60)
    one.start()
    machine.pass_seconds(20)
    one.save()
    machine.pass_seconds(5)
    machine.monotonic_now, machine.boot = 3.0, "second"
    assert Clock(tmp_path / "clock", 60).counted_seconds == 20


def test_where_the_system_does_not_tell_its_boots_the_wall_clock_fills_the_gap(
    machine: Machine, tmp_path: Path
) -> None:
    machine.boot = None
    one = Clock(tmp_path / "clock", 60)
    one.start()
    machine.pass_seconds(20)
    one.save()
    machine.pass_seconds(5)
    assert Clock(tmp_path / "clock", 60).counted_seconds == 25


@pytest.mark.parametrize("budget, want", [(2, 1), (100, 5), (86400, 15)])
def test_the_store_hears_often_enough(tmp_path: Path, budget: float, want: float) -> None:
    assert Clock(tmp_path / "clock", budget).interval_seconds == want


def test_the_real_machine_tells_its_boots() -> None:
    assert clock.boot_id() == clock.boot_id()
    assert time.monotonic() > 0
