"""The API when its server is in trouble, answers nonsense, or wants other credentials."""

import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cluster.kubernetes import connection
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    NotServed,
    Unauthorized,
    Unavailable,
    error_of,
)
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, PODS
from tests.kubernetes.server import Exchange, troubled, write_kubeconfig

JOB = {"metadata": {"namespace": "team", "name": "a", "uid": "1", "resourceVersion": "7"}}


def status(code: int, reason: str, message: str = "the server's own sentence", **details: Any) -> bytes:
    told = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    return json.dumps({**told, "details": details}).encode()


@pytest.mark.parametrize(
    "code, body, want",
    [
        pytest.param(404, status(404, "NotFound"), NotFound, id="no such object"),
        pytest.param(404, b"404 page not found\n", NotServed, id="no such kind"),
        pytest.param(409, status(409, "AlreadyExists"), AlreadyExists, id="the name is taken"),
        pytest.param(409, status(409, "Conflict"), Conflict, id="changed meanwhile"),
        pytest.param(401, status(401, "Unauthorized"), Unauthorized, id="unknown"),
        pytest.param(403, status(403, "Forbidden"), Forbidden, id="no right"),
        pytest.param(400, status(400, "BadRequest"), Invalid, id="not understood"),
        pytest.param(422, status(422, "Invalid"), Invalid, id="against a rule"),
        pytest.param(410, status(410, "Expired"), Gone, id="too old"),
        pytest.param(504, status(504, "Timeout"), Unavailable, id="took too long"),
        pytest.param(500, status(500, "InternalError"), Unavailable, id="inner trouble"),
        pytest.param(429, status(429, "TooManyRequests", retryAfterSeconds=3), Unavailable, id="too many"),
        pytest.param(502, b"<html>bad gateway</html>", Unavailable, id="something in between"),
        pytest.param(405, status(405, "MethodNotAllowed"), ApiError, id="anything else"),
        pytest.param(200, b"[1]", ApiError, id="no Status at all"),
    ],
)
def test_what_an_answer_stands_for(code: int, body: bytes, want: type[ApiError]) -> None:
    error = error_of(code, body, "get jobs.batch a/b")
    assert type(error) is want
    assert error.status == code
    if b"the server's own sentence" in body:
        assert "the server's own sentence" in str(error)
    else:
        assert "get jobs.batch a/b" in str(error)


def test_the_server_says_for_how_long_to_wait() -> None:
    inside = error_of(429, status(429, "TooManyRequests", retryAfterSeconds=3), "get")
    assert isinstance(inside, Unavailable)
    assert inside.retry_after == 3
    header = error_of(503, b"", "get", retry_after=2)
    assert isinstance(header, Unavailable)
    assert header.retry_after == 2


def test_a_server_that_asks_for_patience_is_asked_again(tmp_path: Path) -> None:
    answers = [(429, status(429, "TooManyRequests")), (503, b""), (200, JOB)]
    seen: list[tuple[str, int]] = []

    def answer(exchange: Exchange) -> None:
        code, body = answers.pop(0)
        exchange.say(code, body, Retry_After="1") if code != 200 else exchange.say(code, body)

    with troubled(tmp_path, answer) as (api, _):
        api.on_request = lambda verb, kind, code, seconds: seen.append((verb, code))
        started = time.monotonic()
        assert api.get(JOBS, "team", "a") == JOB
        assert time.monotonic() - started >= 2
    assert seen == [("get", 429), ("get", 503), ("get", 200)]


def test_patience_has_the_requests_limit(tmp_path: Path) -> None:
    with troubled(tmp_path, lambda exchange: exchange.say(429, b"", Retry_After="60")) as (api, server):
        with pytest.raises(Unavailable) as raised:
            api.within(2).get(JOBS, "team", "a")
        assert raised.value.retry_after == 60
        assert len(server.requests) == 1


def test_a_server_in_trouble_without_such_a_wish_is_the_callers_business(tmp_path: Path) -> None:
    with troubled(tmp_path, lambda exchange: exchange.say(500, status(500, "InternalError"))) as (api, server):
        with pytest.raises(Unavailable, match="the server's own sentence"):
            api.create(JOBS, "team", JOB)
        assert len(server.requests) == 1


def test_no_answer_at_all_is_unavailable(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    api = Api.connect(write_kubeconfig(tmp_path / "refused", f"http://127.0.0.1:{port}"))
    seen: list[int] = []
    api.on_request = lambda verb, kind, code, seconds: seen.append(code)
    with pytest.raises(Unavailable, match=rf"http://127.0.0.1:{port} does not answer .*refused") as raised:
        api.list(PODS)
    assert raised.value.status == 0
    assert seen == [0]


def test_a_server_that_hangs_is_given_up_in_time(tmp_path: Path) -> None:
    release = threading.Event()

    def hang(exchange: Exchange) -> None:
        release.wait(30)
        exchange.close_connection = True

    with troubled(tmp_path, hang) as (api, _):
        started = time.monotonic()
        with pytest.raises(Unavailable, match="does not answer"):
            api.within(0.3).get(JOBS, "team", "a")
        assert time.monotonic() - started < 5
        release.set()


@pytest.mark.parametrize("body", [b"<html>a login page</html>", b"[]", b""], ids=["html", "a list", "nothing"])
def test_an_answer_that_is_no_object_is_unavailable(tmp_path: Path, body: bytes) -> None:
    with (
        troubled(tmp_path, lambda exchange: exchange.say(200, body)) as (api, _),
        pytest.raises(Unavailable, match="something else than JSON"),
    ):
        api.get(JOBS, "team", "a")


@pytest.mark.parametrize("body", [b"{}", b'{"metadata": "me", "items": []}'], ids=["empty", "something else"])
def test_a_list_that_is_none_is_unavailable(tmp_path: Path, body: bytes) -> None:
    with (
        troubled(tmp_path, lambda exchange: exchange.say(200, body)) as (api, _),
        pytest.raises(Unavailable, match=r"list jobs.batch: http.* is it an API server\?"),
    ):
        api.list(JOBS, "team")


def test_an_answer_that_breaks_off_is_unavailable(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Length", "1000")
        exchange.end_headers()
        exchange.wfile.write(b'{"metadata": {')
        exchange.close_connection = True

    with troubled(tmp_path, answer) as (api, _), pytest.raises(Unavailable, match="does not answer"):
        api.get(JOBS, "team", "a")


def test_a_kind_that_is_not_installed_is_no_missing_object(tmp_path: Path) -> None:
    with troubled(tmp_path, lambda exchange: exchange.say(404, b"404 page not found\n")) as (api, _):
        with pytest.raises(NotServed, match="is its CRD installed"):
            api.get(EXPERIMENTS, "team", "a")
        with pytest.raises(NotServed):
            api.delete(EXPERIMENTS, "team", "a")


def test_pages_that_expired_are_fetched_in_one_piece(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        if "continue=" in exchange.path:
            exchange.say(410, status(410, "Expired"))
        elif "limit=" in exchange.path:
            exchange.say(200, {"metadata": {"resourceVersion": "5", "continue": "more"}, "items": [JOB]})
        else:
            exchange.say(200, {"metadata": {"resourceVersion": "9"}, "items": [JOB, JOB]})

    with troubled(tmp_path, answer) as (api, _):
        listing = api.list(JOBS)
    assert (len(listing.items), listing.resource_version) == (2, "9")


def news(*lines: object) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_news_comes_whole_however_it_is_cut(tmp_path: Path) -> None:
    data = news(*({"type": "ADDED", "object": {"metadata": {"name": f"n{n}"}}} for n in range(50)))

    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for start in range(0, len(data), 7):
            exchange.chunk(data[start : start + 7])
        exchange.chunk(b"\n")
        exchange.wfile.write(b"0\r\n\r\n")

    with troubled(tmp_path, answer) as (api, _):
        assert [one.object["metadata"]["name"] for one in api.watch(PODS)] == [f"n{n}" for n in range(50)]


@pytest.mark.parametrize(
    "told, want",
    [
        pytest.param({"kind": "Status", "code": 410, "reason": "Expired"}, Gone, id="too old"),
        pytest.param({"kind": "Status", "code": 500, "reason": "InternalError"}, Unavailable, id="inner trouble"),
    ],
)
def test_an_error_among_the_news_is_raised(tmp_path: Path, told: dict[str, Any], want: type[ApiError]) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.chunk(news({"type": "BOOKMARK", "object": JOB}, {"type": "ERROR", "object": told}))
        exchange.wfile.write(b"0\r\n\r\n")

    with troubled(tmp_path, answer) as (api, _):
        watch = iter(api.watch(PODS))
        assert next(watch).type == "BOOKMARK"
        with pytest.raises(want):
            next(watch)


def test_news_that_breaks_off_is_unavailable(tmp_path: Path) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.chunk(b'{"type": "ADDED", "obj')
        exchange.close_connection = True

    with troubled(tmp_path, answer) as (api, _), pytest.raises(Unavailable):
        list(api.watch(PODS))


def test_a_token_file_that_was_replaced_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RENEW_EVERY_SECONDS", 0.0)
    token = tmp_path / "token"
    token.write_text("old")
    accepted = "Bearer old"

    def answer(exchange: Exchange) -> None:
        if exchange.headers.get("Authorization") == accepted:
            exchange.say(200, JOB)
        else:
            exchange.say(401, status(401, "Unauthorized"))

    with troubled(tmp_path, answer, tokenFile=str(token)) as (api, server):
        assert api.get(JOBS, "team", "a") == JOB
        accepted = "Bearer new"
        with pytest.raises(Unauthorized, match="log in again"):
            api.get(JOBS, "team", "a")
        token.write_text("new")
        assert api.get(JOBS, "team", "a") == JOB
        assert len(server.requests) == 5


def test_refused_credentials_are_not_read_again_at_every_request(tmp_path: Path) -> None:
    with troubled(tmp_path, lambda exchange: exchange.say(401, status(401, "Unauthorized")), token="x") as (
        api,
        server,
    ):
        for _ in range(3):
            with pytest.raises(Unauthorized):
                api.get(JOBS, "team", "a")
        assert len(server.requests) == 3


def test_an_exec_plug_in_is_run_again_when_its_token_expires(tmp_path: Path) -> None:
    """Each call of the plug-in gives another token; the first has expired when it comes."""
    runs = tmp_path / "runs"
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "import datetime, json, pathlib\n"
        f"runs = pathlib.Path({str(runs)!r})\n"
        "n = int(runs.read_text()) + 1 if runs.exists() else 1\n"
        "runs.write_text(str(n))\n"
        "until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1 if n > 1 else -1)\n"
        "status = {'token': f'token-{n}', 'expirationTimestamp': until.strftime('%Y-%m-%dT%H:%M:%SZ')}\n"
        "api = 'client.authentication.k8s.io/v1'\n"
        "print(json.dumps({'apiVersion': api, 'kind': 'ExecCredential', 'status': status}))\n"
    )
    exec_part = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": [str(plugin)],
        "interactiveMode": "Never",
    }
    with troubled(tmp_path, lambda exchange: exchange.say(200, JOB), exec=exec_part) as (api, server):
        for _ in range(3):
            api.get(JOBS, "team", "a")
        assert [headers["Authorization"] for _, _, headers in server.requests] == ["Bearer token-2"] * 3
    assert runs.read_text() == "2"
