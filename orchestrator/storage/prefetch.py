"""Doing the next step of one thing while another is busy with the last: an iterator that runs ahead in a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Prefetch(Generic[T]):
    """The same items in the same order, with up to `ahead` of them made before they are asked for.

    What the iterator raises is raised to whoever asks. Leaving the `with` block stops it.
    """

    def __init__(self, items: Generator[T, None, None], ahead: int = 4) -> None:
        self._items = items
        self._ready: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()
        self._room = threading.Semaphore(ahead)
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for item in self._items:
                self._room.acquire()
                if self._is_stopped:
                    return
                self._ready.put((item, None))
            self._ready.put((None, StopIteration()))
        except BaseException as error:  # noqa: BLE001 - raised again where the items are used
            self._ready.put((None, error))
        finally:
            self._items.close()

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        item, error = self._ready.get()
        if error is not None:
            self._ready.put((None, error))
            raise error
        self._room.release()
        return item  # type: ignore[return-value]

    def __enter__(self) -> Prefetch[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_stopped = True
        self._room.release()
        self._thread.join()
