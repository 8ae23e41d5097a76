"""The doctor at a server that is in trouble, or is no API server at all."""

import json

import pytest

from tests.kubernetes.build import settings
from tests.kubernetes.server import troubled

REFUSED = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "you may not"}
FAILED = {"kind": "Status", "code": 500, "reason": "InternalError", "message": "etcdserver: request timed out"}


@pytest.fixture
def examine(mlectl, tmp_path):
    """The doctor's exit code and lines, as JSON, at a server that answers like this."""

    def look(answer):
        with troubled(tmp_path, answer):
            told = mlectl("doctor", "--kubeconfig", tmp_path / "kubeconfig", "-o", "json")
        return told.code, {line["name"]: line for line in json.loads(told.out)}

    return look


def with_version(otherwise):
    """An API server that tells its version, and answers all else like that."""

    def answer(exchange):
        if exchange.path == "/version":
            exchange.say(200, {"gitVersion": "v1.34.4"})
        else:
            otherwise(exchange)

    return answer


def test_a_question_that_fails_is_a_line_and_stops_no_other(examine):
    def answer(exchange):
        failed = "deployments" in exchange.path
        exchange.say(500 if failed else 403, FAILED if failed else REFUSED)

    code, lines = examine(with_version(answer))
    assert code == 3
    assert (lines["installation"]["verdict"], FAILED["message"] in lines["installation"]["found"]) == ("problem", True)
    assert {"cluster", "kubernetes", "your rights", "nodes", "probe"} <= lines.keys()


def installed(exchange, config_map):
    """An installation of which nothing may be seen but its Deployment and, if it has one, its settings."""
    volumes = [{"name": "settings", "configMap": {"name": "mlectl-settings"}}]
    labels = {"app.kubernetes.io/component": "controller"}
    template = {"metadata": {"labels": labels}, "spec": {"volumes": volumes}}
    metadata = {"name": "mlectl-controller", "namespace": "mlectl-system", "labels": labels}
    if "deployments" in exchange.path:
        exchange.say(200, {"metadata": {}, "items": [{"metadata": metadata, "spec": {"template": template}}]})
    elif "configmaps" in exchange.path:
        exchange.say(200 if config_map else 500, config_map or FAILED)
    else:
        exchange.say(403, REFUSED)


def test_settings_that_cannot_be_asked_for_are_a_line(examine):
    code, lines = examine(with_version(lambda exchange: installed(exchange, None)))
    assert (code, lines["settings"]["verdict"]) == (3, "problem")
    assert FAILED["message"] in lines["settings"]["found"]
    assert lines["controller"]["verdict"] == "problem"


def test_the_namespace_of_agents_is_looked_at(examine):
    config_map = {"data": {"settings.yaml": settings().model_dump_json(by_alias=True)}}
    _, lines = examine(with_version(lambda exchange: installed(exchange, config_map)))
    assert "settings" not in lines
    assert {lines[name]["found"] for name in ("pod security", "others' policies")} == {"not looked at: you may not"}


def without_a_date(exchange):
    exchange.send_response_only(200)
    exchange.send_header("Content-Length", "2")
    exchange.end_headers()
    exchange.wfile.write(b"{}")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda exchange: exchange.say(200, {}), id="an empty object"),
        pytest.param(lambda exchange: exchange.say(200, [1]), id="a list"),
        pytest.param(lambda exchange: exchange.say(200, b"<html>welcome</html>"), id="a page"),
        pytest.param(without_a_date, id="an answer without its date"),
    ],
)
def test_a_server_that_is_no_api_server_is_the_only_line(examine, answer):
    code, lines = examine(answer)
    assert (code, list(lines)) == (3, ["cluster"])
    assert "does not answer as an API server does" in lines["cluster"]["found"]
