"""Doing the same to many things at once, a few at a time, and stopping all of it at the first failure."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import TypeVar

WORKERS = min(8, 2 * (os.cpu_count() or 1))
"""Shards of a dataset that are worked on at once."""
Progress = Callable[[int], None]
"""Told of bytes as they are done, by one thread at a time."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Something else failed, so this is not needed any more."""


def in_parallel(work: Callable[[Item], Result], items: Iterable[Item], *, workers: int, stop: Event) -> list[Result]:
    """The results in the order of the items, which are taken up as workers get free. A failure sets `stop` for all."""
    results: dict[int, Result] = {}
    failures: list[BaseException] = []
    waiting, turn = enumerate(items), Lock()

    def take() -> tuple[int, Item] | None:
        with turn:
            return None if failures else next(waiting, None)

    def work_on() -> None:
        try:
            while (taken := take()) is not None:
                number, item = taken
                results[number] = work(item)
        except BaseException as error:  # noqa: BLE001 (raised below)
            failures.append(error)
            stop.set()

    with ThreadPoolExecutor(workers) as pool:
        try:
            wait([pool.submit(work_on) for _ in range(workers)])
        except BaseException as error:  # noqa: BLE001 (Ctrl-C, which comes to the thread that waits)
            failures.append(error)
            stop.set()
    if failures:
        raise failures[0]
    return [results[number] for number in sorted(results)]


def one_at_a_time(progress: Progress) -> Progress:
    """The same, safe to be called by several threads."""
    lock = Lock()

    def report(done: int) -> None:
        with lock:
            progress(done)

    return report


class Meter:
    """Reports progress on something of known size in steps of any size, and notices that all is to stop."""

    def __init__(self, progress: Progress | None, total: int, stop: Event) -> None:
        self.progress, self.left, self.stop = progress, total, stop

    def add(self, done: int) -> None:
        if self.stop.is_set():
            raise Stopped
        done = min(done, self.left)
        self.left -= done
        if self.progress and done:
            self.progress(done)

    def finish(self) -> None:
        self.add(self.left)
