"""The desk of a real validation service before a real S3 server: what an attempt may have, and nothing else."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from orchestrator.storage.filesystem import FileStore
from orchestrator.worker import desk as desk_module
from orchestrator.worker.desk import MOST_NAMES, UPLOADS, Desk
from orchestrator.worker.serving import Refusal
from orchestrator.worker.tokens import Ticket
from tests.worker.pod import Buckets, keys_of, new_ticket
from tests.worker.service import Service, token
from tests.worker.waiting import wait_for

POD, OTHER_POD = "0" * 32, "1" * 32


def stage(*names: str, pod: str = POD, **more: object) -> dict[str, object]:
    return {"role": "stage", "pod": pod, "dataset": names, **more}


def courier(*names: str, pod: str = POD) -> dict[str, object]:
    return {"role": "courier", "pod": pod, "uploads": names}


def send(method: str, url: str, body: bytes | None = None) -> tuple[int, bytes]:
    """What an agent's pod could do with a URL."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, method=method), timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.fixture
def ticket() -> Ticket:
    return new_ticket()


@pytest.fixture
def claimed(desk: Service, ticket: Ticket) -> Ticket:
    """An attempt whose courier has shown itself."""
    assert desk.urls(courier("clock.json"), ticket).status == 200
    return ticket


def test_stage_gets_the_dataset_of_its_competition(desk: Service, ticket: Ticket) -> None:
    answer = desk.urls(stage("manifest.json", "shards/00000.tar"), ticket)
    assert answer.status == 200
    status, manifest = send("GET", answer.body["dataset"]["manifest.json"])
    assert (status, b"train.csv" in manifest) == (200, True)
    assert send("GET", answer.body["dataset"]["shards/00000.tar"])[0] == 200
    assert answer.body["lasts_seconds"] == 12 * 3600
    assert answer.body["uploads"] == {}


def test_a_courier_can_put_each_of_its_files(desk: Service, claimed: Ticket, buckets: Buckets) -> None:
    names = [*UPLOADS, "snapshots/60/submission.csv", "snapshots/0.0166667/submission.csv"]
    urls = desk.urls(courier(*names), claimed).body["uploads"]
    assert list(urls) == names
    for name in names:
        assert send("PUT", urls[name], name.encode())[0] == 200
        assert buckets.store("runs").read(f"{keys_of(claimed).prefix}/{name}") == name.encode()


def test_a_url_is_good_for_one_method_on_one_key(desk: Service, claimed: Ticket) -> None:
    put = desk.urls(courier("run.json"), claimed).body["uploads"]["run.json"]
    get = desk.urls(stage("manifest.json"), claimed).body["dataset"]["manifest.json"]
    assert send("PUT", put, b"{}")[0] == 200
    assert send("GET", put)[0] == 403
    assert send("DELETE", put)[0] == 403
    assert send("PUT", put.replace("/run.json", "/outcome.json"), b"{}")[0] == 403
    assert send("PUT", put.replace("/attempt-1/", "/attempt-2/"), b"{}")[0] == 403
    assert send("PUT", get, b"")[0] == 403
    answers = get.replace("/public/datasets/", "/private/answers/")
    assert answers != get
    assert send("GET", answers)[0] == 403
    assert send("GET", answers.partition("?")[0])[0] == 403
    assert send("GET", get.partition("?")[0])[0] == 403


def test_urls_expire(start_desk: Callable[..., Service], ticket: Ticket) -> None:
    short = start_desk(urls_last_seconds=2)
    answer = short.urls(stage("manifest.json"), ticket)
    url = answer.body["dataset"]["manifest.json"]
    assert (answer.body["lasts_seconds"], send("GET", url)[0]) == (2, 200)
    wait_for("the URL to expire", lambda: send("GET", url)[0] == 403)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../v1/demo-wine/manifest.json",
        "manifest.json/../../../v1/demo-wine/manifest.json",
        "manifest.json\n",
        "manifest.json?versionId=1",
        "/manifest.json",
        "shards/0.tar",
        "shards/00000.tar/..",
        "shards/00000.tar\n",
        "shards/٠٠٠٠٠.tar",
        "shards/../../../answers/v1/demo-wine/manifest.json",
        "shards/00000000000000000000.tar",
        "s" * 101,
    ],
)
def test_no_other_name_of_a_dataset_is_signed(desk: Service, ticket: Ticket, name: str) -> None:
    assert desk.urls(stage("manifest.json", name), ticket).status == 400


@pytest.mark.parametrize(
    "name",
    [
        "outcome.json",
        "pod.json",
        "../attempt-2/run.json",
        "run.json/../outcome.json",
        "Run.json",
        "run.json\0",
        "logs/../outcome.json",
        "logs/other.log",
        "snapshots/60/other.csv",
        "snapshots/../submission.csv",
        "snapshots/0/submission.csv",
        "snapshots/060/submission.csv",
        "snapshots/60.0/submission.csv",
        "snapshots/6e1/submission.csv",
        "snapshots/nan/submission.csv",
        "snapshots/-1/submission.csv",
        "snapshots/1/submission.csv\n",
    ],
)
def test_no_other_name_of_an_attempt_is_signed(desk: Service, claimed: Ticket, name: str) -> None:
    assert desk.urls(courier("clock.json", name), claimed).status == 400


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"\xff", id="no text"),
        pytest.param(b"[" * 50_000, id="deep"),
        pytest.param(stage(*["manifest.json"] * (MOST_NAMES + 1)), id="too many names"),
        pytest.param(stage(pod="../../etc"), id="a pod that is a path"),
        pytest.param(stage(pod="0" * 32 + "\n"), id="a pod with a line end"),
        pytest.param(stage(uploads=["run.json"]), id="stage that uploads"),
        pytest.param({**courier(), "dataset": ["manifest.json"]}, id="a courier that reads"),
        pytest.param({**courier(), "restore": 1}, id="a courier that restores"),
        pytest.param({**stage(), "role": "grade"}, id="an unknown role"),
        pytest.param({**stage(), "competition": "demo-digits"}, id="a competition of one's choice"),
        pytest.param(stage(restore=0), id="attempt zero"),
        pytest.param(stage(restore=-1), id="an attempt before all"),
        pytest.param(stage(restore=True), id="no number"),
    ],
)
def test_a_request_that_makes_no_sense_is_explained(desk: Service, ticket: Ticket, wanted: object) -> None:
    answer = desk.urls(wanted, ticket)
    assert answer.status == 400
    assert answer.body["details"]


def test_a_long_request_is_not_read(desk: Service, ticket: Ticket) -> None:
    assert desk.urls(b" " * 100_000, ticket).status == 413


def test_a_token_is_needed_and_can_not_be_bent(desk: Service, ticket: Ticket) -> None:
    assert desk.ask("POST", "/urls", json.dumps(stage()).encode()).status == 401
    head, body, signature = token(ticket).split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    bent = base64.urlsafe_b64encode(json.dumps({**claims, "attempt": 2}).encode()).rstrip(b"=").decode()
    assert desk.urls(stage(), run_token=f"{head}.{bent}.{signature}").status == 401
    assert desk.urls(stage(), run_token=token(ticket, lasts=timedelta(seconds=-1))).status == 401


def test_a_token_of_another_run_opens_only_that_run(desk: Service, claimed: Ticket) -> None:
    other = new_ticket()
    url = desk.urls(courier("run.json"), other).body["uploads"]["run.json"]
    assert f"/seed-{other.seed}/" in url
    assert f"/seed-{claimed.seed}/" not in url


def test_a_second_pod_may_come_while_no_courier_has_started(desk: Service, ticket: Ticket) -> None:
    assert desk.urls(stage(), ticket).status == 200
    assert desk.urls(stage(pod=OTHER_POD), ticket).status == 200
    assert desk.urls(courier("run.json", pod=OTHER_POD), ticket).status == 200
    assert desk.urls(courier("run.json"), ticket).status == 409
    assert desk.urls(stage(), ticket).status == 409


def test_no_second_pod_once_a_courier_has_started(desk: Service, claimed: Ticket) -> None:
    assert desk.urls(stage(pod=OTHER_POD), claimed).status == 409
    assert desk.urls(courier("run.json", pod=OTHER_POD), claimed).status == 409
    assert desk.urls(courier("run.json"), claimed).status == 200, "a courier that was restarted goes on"
    assert desk.urls(stage(), claimed).status == 200, "a pod whose containers were all started again goes on"


def test_of_two_pods_that_ask_at_once_one_begins(desk: Service) -> None:
    for ticket in (new_ticket() for _ in range(20)):
        with ThreadPoolExecutor(2) as pool:
            asked = pool.map(lambda pod: desk.urls(courier("run.json", pod=pod), ticket).status, (POD, OTHER_POD))  # noqa: B023
            assert sorted(asked) == [200, 409]


def test_an_attempt_that_was_judged_gets_nothing(desk: Service, claimed: Ticket, buckets: Buckets) -> None:
    buckets.store("runs").write(keys_of(claimed).outcome, b"{}")
    for wanted in (stage("manifest.json"), courier("run.json"), stage(pod=OTHER_POD)):
        assert desk.urls(wanted, claimed).status == 410


def test_only_earlier_attempts_of_the_run_are_restored(desk: Service, buckets: Buckets) -> None:
    first = new_ticket()
    third = replace(first, attempt=3)
    for name in ("code.tar", "submission.csv"):
        buckets.store("runs").write(f"{keys_of(first).prefix}/{name}", name.encode())
    restored = desk.urls(stage(restore=1), third).body["restore"]
    assert {name: send("GET", url) for name, url in restored.items()} == {
        "code.tar": (200, b"code.tar"),
        "submission.csv": (200, b"submission.csv"),
    }
    assert desk.urls(stage(restore=2), third).body["restore"] == {}
    assert desk.urls(stage(restore=3), third).status == 400
    assert desk.urls(stage(restore=4), third).status == 400


def test_each_attempt_may_ask_so_often(start_desk: Callable[..., Service]) -> None:
    eager, other = new_ticket(), new_ticket()
    strict = start_desk(urls_per_minute=3)
    assert [strict.urls(stage(), eager).status for _ in range(4)] == [200, 200, 200, 429]
    assert int(strict.urls(stage(), eager).headers["Retry-After"]) <= 60
    assert strict.ask("GET", "/canary", Authorization=f"Bearer {token(eager)}").status == 429
    assert strict.urls(stage(), other).status == 200


def test_an_attempt_has_so_many_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ticket: Ticket) -> None:
    monkeypatch.setattr(desk_module, "MOST_SNAPSHOTS", 3)
    runs = FileStore(tmp_path)
    one = Desk(runs, runs, timedelta(hours=1))
    one.urls(ticket, json.dumps(stage()).encode())
    for minutes in (1, 2):
        runs.write(keys_of(ticket).snapshot(minutes), b"")
    ask = lambda *minutes: one.urls(  # noqa: E731
        ticket, json.dumps(courier(*(f"snapshots/{each}/submission.csv" for each in minutes))).encode()
    )
    assert len(ask(2, 3)["uploads"]) == 2
    with pytest.raises(Refusal) as refused:
        ask(3, 4)
    assert refused.value.status == 413


def test_a_store_out_of_reach_is_worth_another_try(start_desk: Callable[..., Service], ticket: Ticket) -> None:
    nowhere = "s3://runs?endpoint=http://127.0.0.1:9&region=us-east-1"
    lost = start_desk(stores={"public": nowhere, "private": nowhere, "runs": nowhere})
    answer = lost.urls(stage(), ticket)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
