import pytest

from orchestrator.cli.cluster_errors import explained
from orchestrator.cli.exits import Trouble
from orchestrator.cluster.kubernetes.errors import ApiError, Forbidden, Invalid, NotFound, Unauthorized, Unavailable
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS


@pytest.mark.parametrize(
    "error, words",
    [
        (Unavailable(0, "NoAnswer", "no answer."), "The cluster rig can't be reached: no answer. Check it"),
        (Unauthorized(401, "Unauthorized", "no"), "The cluster rig does not accept your credentials;"),
        (
            Forbidden(403, "Forbidden", "no"),
            "You may not get experimentruns.mlectl.dev in namespace team of the cluster rig. Ask whoever runs it",
        ),
        (NotFound(404, "NotFound", 'namespaces "team" not found'), "The cluster rig has no namespace team;"),
        (Invalid(422, "Invalid", "seeds."), "The cluster rig refused it: seeds."),
        (ApiError(405, "", "no"), "The cluster rig could not get experimentruns.mlectl.dev in namespace team: no."),
    ],
)
def test_a_refusal_is_a_sentence_that_names_the_cluster(error, words):
    with pytest.raises(Trouble) as raised, explained("rig", "get", EXPERIMENTS, "team"):
        raise error
    assert str(raised.value).startswith(words)
