"""The port for those who look after the controller."""

import urllib.error
import urllib.request

import pytest

from orchestrator.controller.health import HealthServer


@pytest.fixture
def ask():
    troubles = {"health": None, "ready": None}
    server = HealthServer(
        "127.0.0.1:0",
        healthz=lambda: troubles["health"],
        readyz=lambda: troubles["ready"],
        metrics=lambda: b"mlectl_leader 1.0\n",
    )
    server.start()

    def get(path, **now):
        troubles.update(now)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    yield get
    server.stop()


def test_all_is_well(ask):
    assert ask("/healthz") == ask("/readyz") == (200, "ok\n")
    assert ask("/metrics") == (200, "mlectl_leader 1.0\n")


def test_trouble_is_told_in_a_sentence(ask):
    assert ask("/readyz", ready="Waiting for the API server.") == (503, "Waiting for the API server.\n")
    assert ask("/healthz") == (200, "ok\n")


def test_other_pages_are_not_there(ask):
    assert ask("/")[0] == 404
