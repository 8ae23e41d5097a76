"""Every line is JSON and says what it is about."""

import io
import json
import logging

import pytest

from orchestrator.controller.logs import about, about_run, set_up


@pytest.fixture
def lines():
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    stream = io.StringIO()
    set_up("info", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:], root.level = before, level
    logging.captureWarnings(False)


def test_a_line_carries_the_experiment_and_the_run(lines):
    log = logging.getLogger("mlectl.anywhere")
    with about("team/trial"), about_run("birds", 2, 1):
        log.info("started %s", "agent-1")
    log.info("alone")
    inside, outside = lines()
    assert {name: inside[name] for name in ("experiment", "competition", "seed", "attempt", "message", "level")} == {
        "experiment": "team/trial",
        "competition": "birds",
        "seed": 2,
        "attempt": 1,
        "message": "started agent-1",
        "level": "info",
    }
    assert (outside["experiment"], outside["competition"]) == (None, None)


def test_a_traceback_stays_in_its_line(lines):
    try:
        raise ValueError("odd\ntext")
    except ValueError:
        logging.getLogger("mlectl.controller").exception("a defect")
    (line,) = lines()
    assert "ValueError: odd\ntext" in line["error"]


def test_libraries_speak_up_only_when_something_is_wrong(lines):
    logging.getLogger("urllib3").info("chatter")
    logging.getLogger("urllib3").warning("trouble")
    assert [line["message"] for line in lines()] == ["trouble"]
