"""Collection: untrusted folders, a store that is out of order, couriers that are killed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from orchestrator.worker import collect
from tests.worker.attempt import NAMES, Attempt
from tests.worker.failing_store import FailingStore, failing_store
from tests.worker.processes import agents_of


@pytest.fixture
def store(attempt: Attempt) -> Iterator[FailingStore]:
    """The attempt's store, behind HTTP."""
    with failing_store(attempt.store) as one:
        attempt.changes["uploads"] = {name: one.url(name) for name in NAMES}
        yield one


def test_the_record_is_the_last_thing_to_be_sent(attempt: Attempt, store: FailingStore) -> None:
    attempt.run("submit('id')")
    assert store.order[-1] == "run.json"
    assert set(store.order) == set(NAMES)


def test_a_store_that_is_out_of_order_gets_everything_later(attempt: Attempt, store: FailingStore) -> None:
    store.is_down = True
    courier, launcher = attempt.start("submit('id')\n(code / 'main.py').touch()")
    attempt.wait_for_file(attempt.control / "ended")
    attempt.wait_until("some refusals", lambda: store.refused >= 4)
    assert launcher.poll() is None
    assert not (attempt.control / "collected").exists()
    store.is_down = False
    record = attempt.finish(courier, launcher)
    assert record["has_submission"] is True
    assert attempt.in_store("submission.csv") == b"id"
    assert attempt.names_in("code.tar") == ["main.py"]


def test_a_store_that_is_out_of_order_does_not_stop_the_clock(attempt: Attempt, store: FailingStore) -> None:
    attempt.budget_seconds = 1.0
    store.is_down = True
    courier, launcher = attempt.start("submit('in time')\nwhile True: time.sleep(0.1)")
    attempt.wait_for_file(attempt.control / "ended")
    assert agents_of(attempt.control) == []
    store.is_down = False
    assert attempt.finish(courier, launcher)["clock"]["consumed_seconds"] == 1.0


def test_a_clock_that_has_stopped_is_published_until_all_is_collected(attempt: Attempt, store: FailingStore) -> None:
    """It shows that the courier is alive. Nobody is charged for that time."""
    store.unwanted = {"code.tar"}
    courier, launcher = attempt.start("submit('id')")
    attempt.wait_until("a refusal", lambda: store.refused >= 1)
    sent = len(store.order)
    attempt.wait_until("more of the clock", lambda: store.order[sent:].count("clock.json") >= 2)
    published = attempt.consumed_seconds
    store.unwanted = set()
    assert attempt.finish(courier, launcher)["clock"]["consumed_seconds"] == published
    assert store.order[-1] == "run.json"


def test_a_courier_whose_patience_ends_says_so_and_keeps_the_files(attempt: Attempt, store: FailingStore) -> None:
    store.is_down = True
    attempt.changes["patience_seconds"] = 0.0
    courier, launcher = attempt.start("submit('id')")
    assert courier.wait(60) == 3
    failure = json.loads((attempt.orders / "failure.json").read_text())
    assert (failure["reason"], failure["try_again"]) == ("StoreUnavailable", True)
    assert "signature" not in failure["message"]
    assert launcher.poll() is None
    store.is_down = False
    record = attempt.finish(attempt.start_courier(), launcher)
    assert record["has_submission"] is True


def test_a_courier_killed_while_it_collects_starts_over(attempt: Attempt, store: FailingStore) -> None:
    store.is_down = True
    courier, launcher = attempt.start("submit('id')\nsys.exit(4)")
    attempt.wait_for_file(attempt.control / "ended")
    attempt.wait_until("a refusal", lambda: store.refused >= 2)
    courier.kill()
    courier.wait()
    (attempt.submission / "submission.csv").write_text("changed after it was settled")
    store.is_down = False
    record = attempt.finish(attempt.start_courier(), launcher)
    assert (record["exit_code"], record["interrupted"]) == (4, False)
    assert attempt.in_store("submission.csv") == b"id"


def test_an_agent_s_garbage_is_left_out_and_counted(attempt: Attempt) -> None:
    (attempt.root / "secret").mkdir()
    (attempt.root / "secret" / "token").write_text("secret")
    record = attempt.run(
        f"""
secret = {str(attempt.root / "secret")!r}
(code / "main.py").write_text("code")
(code / "link").symlink_to(secret)
(code / "token").symlink_to(secret + "/token")
os.mkfifo(code / "pipe")
for number in range(2000):
    (code / str(number)).touch()
(logs / "agent.log").unlink()
(logs / "agent.log").symlink_to(secret + "/token")
submit("id")
"""
    )
    names = attempt.names_in("code.tar")
    assert len(names) == 2001
    assert record["left_out"] == {"code": {"links": 2, "special": 1}, "logs": {"links": 1}}
    assert attempt.in_store("logs/agent.log") == b""


@pytest.mark.parametrize(
    "plant, problem",
    [
        pytest.param("(submission / 'submission.csv').symlink_to(secret)", "a link", id="a link"),
        pytest.param("os.mkfifo(submission / 'submission.csv')", "not a plain file", id="a pipe"),
        pytest.param("(submission / 'submission.csv').mkdir()", "not a plain file", id="a folder"),
        pytest.param("os.truncate(submission / 'big', 3 << 30)", "3,221,225,472 bytes", id="too large"),
    ],
)
def test_a_submission_that_is_none_is_recorded_with_the_reason(attempt: Attempt, plant: str, problem: str) -> None:
    (attempt.root / "secret").write_text("secret")
    record = attempt.run(
        f"""
secret = {str(attempt.root / "secret")!r}
(submission / "big").touch()
{plant}
if (submission / "big").stat().st_size:
    (submission / "big").rename(submission / "submission.csv")
"""
    )
    assert record["has_submission"] is True
    assert record["submission"]["sha256"] is None
    assert problem in record["submission"]["problem"]
    assert attempt.in_store("submission.csv") is None


def test_a_submission_folder_that_became_a_link_is_no_way_out(attempt: Attempt) -> None:
    (attempt.root / "secret").mkdir()
    (attempt.root / "secret" / "submission.csv").write_text("secret")
    record = attempt.run(f"submission.rmdir()\nsubmission.symlink_to({str(attempt.root / 'secret')!r})")
    assert record["has_submission"] is False
    assert attempt.in_store("submission.csv") is None


def test_of_a_long_log_the_end_is_kept(attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "AGENT_LOG_BYTES", 10)
    (attempt.logs / "agent.log").write_text("0123456789the end...")
    assert collect.end_of_log(attempt.logs) == b"[10 bytes of output before this are left out]\nthe end..."


def test_what_is_too_large_for_one_request_is_left_out_and_told(attempt: Attempt) -> None:
    record = attempt.run(
        """
(code / "main.py").write_text("small")
with open(code / "checkpoint", "wb") as file:
    file.truncate(5 << 30)
"""
    )
    assert attempt.names_in("code.tar") == ["main.py"]
    assert record["left_out"]["code"] == {"too_large": 1}
    assert record["notes"] == ["1 of the largest files of code are not in code.tar, which holds 4.5 GiB at most."]
