"""The desk of a real validation service before a real S3 server: what an attempt may have, and nothing else."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

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
ANSWERS = "private/answers/v1/demo-wine/manifest.json"
REFUSED = (400, 403, 405)


def stage(*names: str, pod: str = POD, **more: object) -> dict[str, object]:
    return {"role": "stage", "pod": pod, "dataset": names, **more}


def courier(*names: str, pod: str = POD) -> dict[str, object]:
    return {"role": "courier", "pod": pod, "uploads": names}


def send(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    """What an agent's pod could do with a URL."""
    request = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
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


@dataclass(frozen=True)
class Held:
    """What the pod of a run's second attempt holds: its URLs. Its token is good for nothing but these."""

    ticket: Ticket
    put: dict[str, str]
    get: dict[str, str]


@pytest.fixture
def held(desk: Service, buckets: Buckets) -> Held:
    ticket = new_ticket(attempt=2)
    buckets.store("runs").write(keys_of(replace(ticket, attempt=1)).prefix + "/code.tar", b"saved")
    get = desk.urls(stage("manifest.json", restore=1), ticket).body
    put = desk.urls(courier(*UPLOADS), ticket).body["uploads"]
    return Held(ticket, put, get["dataset"] | get["restore"])


@pytest.fixture
def foreign(held: Held, buckets: Buckets) -> Iterator[list[str]]:
    """Keys of the attempt's outcome, of another run and of the run's other attempts: they stay as they are."""
    attempts = (new_ticket(), replace(held.ticket, attempt=1), replace(held.ticket, attempt=3))
    keys = [keys_of(held.ticket).outcome, *(f"{keys_of(each).prefix}/run.json" for each in attempts)]
    runs = buckets.store("runs")
    for key in keys:
        runs.write(key, key.encode())
    yield keys
    assert [runs.read(key) for key in keys] == [key.encode() for key in keys]


def test_a_token_gets_urls_of_its_own_attempt(held: Held) -> None:
    own = f"/runs/{keys_of(held.ticket).prefix}"
    assert {name: urlsplit(url).path for name, url in held.put.items()} == {name: f"{own}/{name}" for name in UPLOADS}
    assert {name: send("GET", url)[0] for name, url in held.get.items()} == {"manifest.json": 200, "code.tar": 200}


def test_what_a_run_holds_opens_nothing_of_another_run_or_attempt(
    buckets: Buckets, held: Held, foreign: list[str]
) -> None:
    for key in (*(f"runs/{key}" for key in foreign), ANSWERS):
        for url in (*held.put.values(), *held.get.values()):
            bent = f"{buckets.server.endpoint}/{key}?{urlsplit(url).query}"
            for method in ("GET", "HEAD", "PUT", "DELETE", "POST"):
                body = b"forged" if method in ("PUT", "POST") else None
                assert send(method, bent, body)[0] in REFUSED, (method, bent)


@pytest.mark.parametrize(
    "method, path, query, headers",
    [
        pytest.param("PUT", "", "", {"x-amz-copy-source": ANSWERS}, id="a copy of the answers"),
        pytest.param("PUT", "", "", {"x-amz-copy-source": f"/{ANSWERS}"}, id="a copy of the answers by their path"),
        pytest.param("PUT", "", "", {"x-amz-copy-source": "runs/OTHER"}, id="a copy of another run's file"),
        pytest.param("PUT", "", f"&x-amz-copy-source={ANSWERS}", {}, id="a copy, asked for in the query"),
        pytest.param("PUT", "", "", {"x-amz-acl": "public-read"}, id="a file that everybody reads"),
        pytest.param("PUT", "", "&acl", {}, id="other rights"),
        pytest.param("PUT", "", "&tagging", {}, id="other tags"),
        pytest.param("PUT", "", "&uploads", {}, id="an upload in parts, by PUT"),
        pytest.param("POST", "", "&uploads", {}, id="an upload in parts"),
        pytest.param("PUT", "", "&partNumber=1&uploadId=1", {}, id="a part"),
        pytest.param("PUT", "", "&X-Amz-Expires=604800", {}, id="a longer life"),
        pytest.param("POST", "", "", {}, id="a form"),
        pytest.param("PUT", "/../outcome.json", "", {}, id="its outcome by a way up"),
        pytest.param("PUT", "/../../attempt-3/run.json", "", {}, id="another attempt by a way up"),
        pytest.param("PUT", "/%2e%2e/%2e%2e/attempt-3/run.json", "", {}, id="a way up that is written otherwise"),
    ],
)
def test_a_url_to_put_a_file_does_nothing_else(
    buckets: Buckets, held: Held, foreign: list[str], method: str, path: str, query: str, headers: dict[str, str]
) -> None:
    url = urlsplit(held.put["run.json"])
    twisted = url._replace(path=url.path + path, query=url.query + query).geturl()
    named = {name: value.replace("OTHER", foreign[1]) for name, value in headers.items()}
    assert send(method, twisted, b"", named)[0] in REFUSED
    assert buckets.store("runs").read(f"{keys_of(held.ticket).prefix}/run.json") is None
    assert send("PUT", url.geturl(), b"{}")[0] == 200, "else the refusal proves nothing"


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
