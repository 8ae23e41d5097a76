"""Couriers that are killed at any moment: nothing is lost, and no time is won."""

from __future__ import annotations

import random
import threading

from tests.worker.attempt import Attempt
from tests.worker.waiting import wait_for

WORK = """
began = time.monotonic()
submit("id")
while not (code / "end").exists():
    (logs / "life").write_text(str(time.monotonic() - began))
    time.sleep(0.02)
(logs / "life").write_text(str(time.monotonic() - began))
"""


def test_a_courier_killed_again_and_again_counts_every_second(attempt: Attempt) -> None:
    """Also the seconds in which there was none; and what the store hears never goes back."""
    chance = random.Random(1)
    courier = attempt.start_courier()
    launcher = attempt.start_launcher(WORK)
    attempt.wait_for_file(attempt.logs / "life")
    heard: list[float] = []
    for _ in range(6):
        pause = threading.Event()
        pause.wait(chance.uniform(0, 0.7))
        courier.kill()
        courier.wait()
        if attempt.consumed_seconds is not None:
            heard.append(attempt.consumed_seconds)
        courier = attempt.start_courier()
    (attempt.code / "end").touch()
    record = attempt.finish(courier, launcher)
    heard.append(record["clock"]["consumed_seconds"])
    assert heard == sorted(heard)
    assert record["clock"]["consumed_seconds"] >= float((attempt.logs / "life").read_text())
    assert record["exit_code"] == 0
    assert record["has_submission"] is True


def test_nothing_an_agent_writes_moves_the_clock(attempt: Attempt) -> None:
    """It may write anywhere in its folders and in the control folder; the courier's own folder it does not see."""
    lies = """
import json, threading
def lie():
    while True:
        for folder in (control, code, logs, submission):
            for name in ("clock.json", "journal.json", "alive", "started", "ready", "go"):
                try:
                    (folder / name).write_text(json.dumps({"consumed_seconds": 0, "counted_seconds": 0}))
                except OSError:
                    pass
        time.sleep(0.01)
threading.Thread(target=lie, daemon=True).start()
"""
    courier = attempt.start_courier()
    launcher = attempt.start_launcher(f"control = pathlib.Path({str(attempt.control)!r})\n{lies}\n{WORK}")
    attempt.wait_for_file(attempt.logs / "life")
    courier.kill()
    courier.wait()
    courier = attempt.start_courier()
    wait_for("a second of work", lambda: life(attempt) > 1)
    (attempt.code / "end").touch()
    record = attempt.finish(courier, launcher)
    assert record["clock"]["consumed_seconds"] >= life(attempt)


def life(attempt: Attempt) -> float:
    text = (attempt.logs / "life").read_text()
    return float(text) if text else 0.0


def test_a_courier_that_comes_back_late_still_ends_the_agent(attempt: Attempt) -> None:
    attempt.budget_seconds = 1.5
    courier, launcher = attempt.start(
        "submit('in time')\nmark('ready')\ntime.sleep(4.5)\nmark('late')\ntime.sleep(600)"
    )
    attempt.wait_for_file(attempt.code / "ready")
    courier.kill()
    courier.wait()
    attempt.wait_for_file(attempt.code / "late")
    record = attempt.finish(attempt.start_courier(), launcher)
    assert (record["deadline_reached"], record["interrupted"]) == (True, False)
    assert record["clock"]["consumed_seconds"] == 1.5
    assert attempt.in_store("submission.csv") == b"in time"
