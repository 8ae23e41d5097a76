"""The courier as in a pod: URLs from a real desk, files in a real S3 server, the platform's notice."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from orchestrator.worker.courier import Courier
from orchestrator.worker.desk_client import pod_nonce
from orchestrator.worker.notice import INSIDE, MOST_AT_ONCE, MOST_PER_CLIENT, heed_notice, is_inside
from orchestrator.worker.record import read_record
from orchestrator.worker.tokens import notice_path
from tests.worker.pod import Buckets, PodAttempt, keys_of, new_ticket
from tests.worker.processes import agents_of
from tests.worker.service import Service, token
from tests.worker.test_courier import FOREVER
from tests.worker.waiting import wait_for


@pytest.fixture
def short_lived(tmp_path: Path, buckets: Buckets, start_desk: Callable[..., Service]) -> Iterator[PodAttempt]:
    """A pod whose URLs last for four seconds."""
    one = PodAttempt(tmp_path / "pod", buckets, start_desk(urls_last_seconds=4))
    yield one
    one.close()


def test_what_an_agent_leaves_goes_to_its_attempt(pod: PodAttempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLECTL_NODE", "node-7")
    monkeypatch.setenv("MLECTL_POD", "pod-7")
    (pod.private / "staged.json").write_text('{"staged_at": "2026-01-01T00:00:00+00:00", "dataset_digest": "d1"}')
    (pod.private / "probe.json").write_text('{"rounds": 3}')
    record = pod.run("submit('id\\n')\n(code / 'main.py').write_text('x')")
    for name in ("submission.csv", "clock.json", "run.json", "code.tar", "logs.tar", "logs/agent.log"):
        assert pod.in_store(name) is not None, name
    assert (record["isolation"], record["network_enforced"], record["network_proof"]) == ("pod", True, {"rounds": 3})
    assert (record["node"], record["pod"], record["dataset_digest"]) == ("node-7", "pod-7", "d1")
    assert record["clock"]["staged_at"] == "2026-01-01T00:00:00+00:00"
    assert (record["interrupted"], record["exit_code"]) == (False, 0)


def test_a_courier_stays_until_the_kubelet_ends_it(pod: PodAttempt) -> None:
    """A sidecar that ends is started again."""
    courier, launcher = pod.start("pass")
    assert launcher.wait(60) == 0
    with pytest.raises(subprocess.TimeoutExpired):
        courier.wait(1)
    courier.terminate()
    assert courier.wait(30) == 0


def test_without_a_proof_the_network_is_not_called_enforced(pod: PodAttempt) -> None:
    record = pod.run("pass")
    assert (record["network_enforced"], record["network_proof"]) == (False, None)


def test_what_the_agent_can_write_is_no_fact(pod: PodAttempt) -> None:
    forged = {"dataset_digest": "forged", "staged_at": "forged"}
    for name in ("staged.json", "probe.json"):
        (pod.control / name).write_text(json.dumps(forged))
    record = pod.run("pass")
    assert "forged" not in json.dumps(record)


def test_the_platform_s_notice_is_an_interruption(pod: PodAttempt) -> None:
    courier, launcher = pod.start(f"submit('so far')\n(code / 'main.py').write_text('x')\n{FOREVER}")
    pod.wait_for_file(pod.code / "running")
    assert pod.give_notice() == 200
    launcher.send_signal(signal.SIGTERM)  # the kubelet's next step
    record = pod.finish(courier, launcher)
    assert (record["interrupted"], record["platform_notice"], record["deadline_reached"]) == (True, True, False)
    assert read_record(pod.in_store("run.json") or b"").interrupted
    assert pod.in_store("submission.csv") == b"so far"
    assert pod.in_store("code.tar") is not None


def test_a_notice_is_written_down_before_it_is_answered(pod: PodAttempt) -> None:
    """The kubelet ends the agent next, and the launcher may tell of that before the courier has looked again."""
    courier = Courier(pod.order())
    courier.clock.start()
    courier.on_notice()
    (pod.control / "ended").write_text("exit_code=143\nterminated=TERM\n")
    assert courier.has_ended()
    assert Courier(pod.order()).journal.pages.interrupted is True


def test_a_notice_after_the_agent_s_own_end_changes_nothing(pod: PodAttempt, desk: Service) -> None:
    courier, launcher = pod.start("submit('done')")
    launcher.wait(60)
    assert pod.give_notice() == 200
    record = pod.finish(courier, launcher)
    assert (record["interrupted"], record["platform_notice"], record["exit_code"]) == (False, False, 0)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/ending/",
        "/ending/" + "0" * 32,
        pytest.param(notice_path(token(new_ticket())), id="another attempt's"),  # a token is another one each time
    ],
)
def test_nobody_else_can_give_notice(pod: PodAttempt, path: str) -> None:
    courier, launcher = pod.start(FOREVER)
    pod.wait_for_file(pod.code / "running")
    assert pod.give_notice(path) == 404
    (pod.control / "stop").write_text("0\n")
    assert pod.finish(courier, launcher)["interrupted"] is False


def test_a_client_with_many_addresses_in_the_pod_is_one_client() -> None:
    """An agent must not take all the places, to keep the platform's notice out."""
    listener = socket.create_server(("127.0.0.1", 0))
    with heed_notice(f"fd:{listener.detach()}", "token", lambda: None) as board, ExitStack() as stack:
        assert board is not None
        for number in range(1, MOST_AT_ONCE + 1):
            idle = stack.enter_context(socket.socket())
            idle.bind((f"127.0.0.{number + 1}", 0))
            idle.connect(board.server_address)
        wait_for("all to be let in or sent away", lambda: board.clients[INSIDE] == MOST_PER_CLIENT)
        assert dict(board.clients) == {INSIDE: MOST_PER_CLIENT}
    assert is_inside("10.1.0.7", "10.1.0.7")
    assert not is_inside("10.1.0.1", "10.1.0.7")


def test_a_notice_before_the_agent_began_leaves_nothing(pod: PodAttempt) -> None:
    courier = pod.start_courier()
    pod.wait_until("the courier", lambda: pod.get("/health"))
    wait_for("the notice", lambda: pod.give_notice() == 200)
    assert pod.start_launcher(FOREVER).wait(30) == 143
    courier.terminate()
    assert courier.wait(30) == 0
    assert pod.in_store("run.json") is None
    assert pod.in_store("clock.json") is None


def test_no_agent_starts_without_urls(pod: PodAttempt) -> None:
    """Another pod has the attempt: the launcher is sent home and nothing is written."""
    answer = pod.desk.urls({"role": "courier", "pod": "f" * 32}, pod.ticket)
    assert answer.status == 200
    courier, launcher = pod.start(FOREVER)
    assert launcher.wait(30) in (0, 143)
    assert courier.wait(30) == 1
    assert not (pod.code / "running").exists()
    assert "another pod" in json.loads((pod.orders / "failure.json").read_text())["message"]


def test_urls_are_renewed_as_long_as_the_agent_runs(short_lived: PodAttempt) -> None:
    pod = short_lived
    pod.changes["snapshot_every_seconds"] = 6.0
    record = pod.run("submit('early')\ntime.sleep(9)\nsubmit('late')")
    assert pod.in_store("submission.csv") == b"late"
    assert pod.in_store("snapshots/0.1/submission.csv") == b"early"
    assert [snapshot["minutes"] for snapshot in record["snapshots"]] == [0.1]
    assert "403" not in pod.courier_log, "it asks before they expire"


def test_a_courier_that_slept_through_the_end_of_its_urls_asks_again(short_lived: PodAttempt) -> None:
    """Its own clock says that they are good, as on a machine whose clock is wrong; the store says 403."""
    pod = short_lived
    courier, launcher = pod.start("while not (code / 'end').exists(): time.sleep(0.1)\nsubmit('id')")
    pod.wait_until("the first word of the clock", lambda: pod.in_store("clock.json"))
    urls = pod.private / "courier" / "urls.json"
    courier.kill()
    courier.wait()
    known = json.loads(urls.read_text())
    urls.write_text(
        json.dumps({name: (url, time.time() + 3600, time.time() + 3600) for name, (url, _, _) in known.items()})
    )
    courier = pod.start_courier()
    pod.wait_until("the store to refuse", lambda: "403" in pod.courier_log)
    (pod.code / "end").touch()
    pod.finish(courier, launcher)
    assert pod.in_store("submission.csv") == b"id"


def test_a_restarted_courier_goes_on_without_the_desk(pod: PodAttempt, start_desk: Callable[..., Service]) -> None:
    pod.desk = start_desk()
    courier, launcher = pod.start("while not (code / 'end').exists(): time.sleep(0.1)\nsubmit('id')")
    pod.wait_until("the first word of the clock", lambda: pod.in_store("clock.json"))
    courier.kill()
    courier.wait()
    os.kill(pod.desk.process.pid, signal.SIGSTOP)
    try:
        courier = pod.start_courier()
        (pod.code / "end").touch()
        assert pod.finish(courier, launcher)["has_submission"] is True
    finally:
        os.kill(pod.desk.process.pid, signal.SIGCONT)


def test_an_attempt_that_was_judged_meanwhile_ends(short_lived: PodAttempt) -> None:
    pod = short_lived
    courier, launcher = pod.start(FOREVER)
    pod.wait_until("the first word of the clock", lambda: pod.in_store("clock.json"))
    pod.buckets.store("runs").write(keys_of(pod.ticket).outcome, b"{}")
    assert launcher.wait(60) in (137, 143)
    assert courier.wait(30) == 1
    assert pod.in_store("run.json") is None
    assert agents_of(pod.control) == []


@pytest.mark.parametrize("kind", ["a restored submission", "nothing"])
def test_a_run_without_time_left_is_collected_without_an_agent(pod: PodAttempt, kind: str) -> None:
    pod.budget_seconds = 0.0
    pod.changes["consumed_seconds"] = 3600.0
    if kind != "nothing":
        (pod.submission / "submission.csv").write_text("restored")
    (pod.code / "main.py").write_text("restored")
    record = pod.run(FOREVER)
    assert not (pod.code / "running").exists()
    assert pod.processes[1].returncode == 0
    assert (record["deadline_reached"], record["interrupted"], record["launcher_lost"]) == (True, False, False)
    assert record["clock"]["consumed_seconds"] == 3600.0
    assert record["has_submission"] is (kind != "nothing")
    assert pod.in_store("submission.csv") == (None if kind == "nothing" else b"restored")
    assert pod.in_store("code.tar") is not None


def test_the_urls_are_out_of_the_agent_s_reach(pod: PodAttempt) -> None:
    pod.run("pass")
    assert (pod.private / "courier").stat().st_mode & 0o077 == 0
    assert pod_nonce(pod.private) in (pod.in_store("pod.json") or b"").decode()
