"""When and how often something is tried again."""

import pytest

from orchestrator.storage.retry import Patience, Transient, persist
from orchestrator.storage.store import StoreError

QUICK = Patience(tries=3, first_wait_seconds=0)


def test_waits_double_up_to_the_longest_and_differ() -> None:
    patience = Patience(tries=7, first_wait_seconds=1, longest_wait_seconds=10)
    drawn = [list(patience.waits()) for _ in range(50)]
    for waits in drawn:
        assert len(waits) == 6
        for wait, longest in zip(waits, (1, 2, 4, 8, 10, 10), strict=True):
            assert longest / 2 <= wait <= longest
    assert len({waits[0] for waits in drawn}) > 40, "clients that fail together must not come back together"


def test_a_transient_failure_is_tried_again() -> None:
    tries: list[int] = []

    def attempt() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise Transient("busy")
        return "done"

    assert persist("do it", attempt, QUICK) == "done"
    assert len(tries) == 3


def test_patience_ends_with_a_sentence() -> None:
    def attempt() -> None:
        raise Transient("connection refused")

    with pytest.raises(StoreError, match=r"^Cannot do it: connection refused, 3 times in a row; check that the store"):
        persist("do it", attempt, QUICK)


def test_a_final_failure_is_not_tried_again() -> None:
    tries: list[int] = []

    def attempt() -> None:
        tries.append(1)
        raise StoreError("no")

    with pytest.raises(StoreError, match=r"^no$"):
        persist("do it", attempt, QUICK)
    assert len(tries) == 1
