import pytest

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import shielded
from orchestrator.cluster.kubernetes.errors import Forbidden, NotFound, NotServed, Unavailable

FORBIDDEN = Forbidden(403, "Forbidden", "nodes is forbidden")


def failing(error):
    yield Check("first", "ok", "was seen")
    raise error


@pytest.mark.parametrize(
    "error, verdict",
    [
        pytest.param(FORBIDDEN, "warning", id="what may not be seen"),
        pytest.param(NotServed(404, "NotServed", "no such kind"), "warning", id="what the cluster does not know"),
        pytest.param(NotFound(404, "NotFound", 'namespaces "a" not found'), "problem", id="what is not there"),
        pytest.param(Unavailable(0, "NoAnswer", "no answer"), "problem", id="a server that does not answer"),
    ],
)
def test_what_the_api_server_refuses_is_a_line_beside_what_was_seen(error, verdict):
    first, second = shielded("nodes", lambda: failing(error))
    assert first.found == "was seen"
    assert (second.name, second.verdict, error.message in second.found) == ("nodes", verdict, True)
    assert second.what_to_do or verdict == "warning"


def test_pods_that_were_asked_for_and_are_forbidden_are_a_problem():
    *_, told = shielded("probe", lambda: failing(FORBIDDEN), if_forbidden="problem")
    assert told.verdict == "problem"
